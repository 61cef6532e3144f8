using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>TLS with ldap-utils, which trust nothing but the certificate of the test.</summary>
public sealed class Encryption : IDisposable
{
    private readonly X509Certificate2 _certificate = MakeCertificate();
    private readonly string _trust = Path.GetTempFileName();

    public Encryption() => File.WriteAllText(_trust, _certificate.ExportCertificatePem());

    public void Dispose()
    {
        File.Delete(_trust);
        _certificate.Dispose();
    }

    [Fact]
    public async Task StartTLS_works_once_per_connection()
    {
        await using var server = Country.Start(new LdapTestServerOptions { ServerCertificate = _certificate });

        var outcome = await LdapTool.RunAsync(
            server.Port,
            new Dictionary<string, string> { ["LDAPTLS_CACERT"] = _trust },
            "ldapwhoami", "-ZZ", "-D", Country.Ann, "-w", Country.AnnPassword);

        Assert.Equal(($"dn:{Country.Ann}\n", 0), (outcome.Output, outcome.ExitCode));
        Assert.Equal("1.3.6.1.4.1.1466.20037", server.GetOperations()[0].Target);
    }

    [Fact]
    public async Task A_connection_can_begin_with_tls()
    {
        await using var server = Country.Start(new LdapTestServerOptions { ServerCertificate = _certificate, UseLdaps = true });

        var outcome = await LdapTool.RunAsync(
            server.Port,
            new Dictionary<string, string> { ["LDAPTLS_CACERT"] = _trust },
            "ldapwhoami", "-H",
                FormattableString.Invariant($"ldaps://127.0.0.1:{server.Port}"), "-D", Country.Ann, "-w", Country.AnnPassword);

        Assert.Equal(($"dn:{Country.Ann}\n", 0), (outcome.Output, outcome.ExitCode));
    }

    [Fact]
    public async Task A_client_that_does_not_trust_the_certificate_disconnects()
    {
        await using var server = Country.Start(new LdapTestServerOptions { ServerCertificate = _certificate });

        var outcome = await LdapTool.RunAsync(server.Port, "ldapwhoami", "-ZZ");

        Assert.NotEqual(0, outcome.ExitCode);
        await Patience.UntilAsync(() => server.Connections == 0);
    }

    [Fact]
    public async Task Invalid_TLS_data_ends_only_its_connection()
    {
        await using var server = Country.Start(new LdapTestServerOptions { ServerCertificate = _certificate, UseLdaps = true });
        using (var client = await RawClient.ConnectAsync(server))
        {
            await client.SendAsync(RawRequest.WhoAmI(1));
            client.SendEnd();
            await Patience.UntilAsync(() => server.ConnectionsAccepted == 1 && server.Connections == 0);
        }

        var outcome = await LdapTool.RunAsync(
            server.Port,
            new Dictionary<string, string> { ["LDAPTLS_CACERT"] = _trust },
            "ldapwhoami", "-H", FormattableString.Invariant($"ldaps://127.0.0.1:{server.Port}"));

        Assert.Equal(("anonymous\n", 0), (outcome.Output, outcome.ExitCode));
    }

    [Fact]
    public async Task Without_a_certificate_tls_cannot_start()
    {
        await using var server = Country.Start();

        var outcome = await LdapTool.RunAsync(server.Port, "ldapwhoami", "-ZZ");

        Assert.NotEqual(0, outcome.ExitCode);
        Assert.Equal(LdapTestResultCode.ProtocolError, server.GetOperations()[0].Result);
    }

    private static X509Certificate2 MakeCertificate()
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(
            new X509BasicConstraintsExtension(certificateAuthority: true, hasPathLengthConstraint: false, 0, critical: true));
        var now = TimeProvider.System.GetUtcNow();
        return request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }
}
