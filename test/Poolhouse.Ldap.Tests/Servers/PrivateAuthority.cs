using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Poolhouse.Ldap.Tests.Servers;

/// <summary>A certificate authority of the test's own, and a certificate of it for 127.0.0.1 and other names, as files.</summary>
internal sealed class PrivateAuthority : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolhouse-tls-").FullName;

    public PrivateAuthority(params IReadOnlyList<string> names)
    {
        var now = TimeProvider.System.GetUtcNow();
        using var authorityKey = RSA.Create(2048);
        var request =
            new CertificateRequest("CN=Test authority", authorityKey, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        request.CertificateExtensions.Add(
            new X509BasicConstraintsExtension(
                certificateAuthority: true, hasPathLengthConstraint: false, pathLengthConstraint: 0, critical: true));
        request.CertificateExtensions.Add(
            new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true));
        using var authority = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(30));

        using var serverKey = RSA.Create(2048);
        var subject = new SubjectAlternativeNameBuilder();
        subject.AddIpAddress(IPAddress.Loopback);
        foreach (var name in (IEnumerable<string>)["localhost", .. names])
        {
            subject.AddDnsName(name);
        }

        var serverRequest =
            new CertificateRequest("CN=localhost", serverKey, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        serverRequest.CertificateExtensions.Add(subject.Build());
        using var server = serverRequest.Create(authority, now.AddDays(-1), now.AddDays(20), RandomNumberGenerator.GetBytes(8));

        // Servers may run under another account.
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(_folder, (UnixFileMode)0b111_101_101);
        }

        Trusted = Directory.CreateDirectory(Path.Combine(_folder, "trusted")).FullName;
        Empty = Directory.CreateDirectory(Path.Combine(_folder, "empty")).FullName;
        File.WriteAllText(Path.Combine(Trusted, "authority.pem"), authority.ExportCertificatePem());
        Files = (Write("server.pem", server.ExportCertificatePem()), Write("server.key", serverKey.ExportPkcs8PrivateKeyPem()),
            Write("authority.pem", authority.ExportCertificatePem()));
    }

    public (string Certificate, string Key, string Authority) Files { get; }

    /// <summary>A folder with the authority.</summary>
    public string Trusted { get; }

    /// <summary>A folder without any.</summary>
    public string Empty { get; }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private string Write(string name, string text)
    {
        var path = Path.Combine(_folder, name);
        File.WriteAllText(path, text);
        return path;
    }
}
