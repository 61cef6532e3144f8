using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace Poolhouse.Samples.PoolTests;

/// <summary>OpenLDAP's server for one test: on a free port of 127.0.0.1, with its entries in a temporary folder.</summary>
/// <remarks>For Linux and macOS. Needs the programs only (Debian: the package slapd), no service.</remarks>
internal sealed class Slapd : IDisposable
{
    public const string Base = "dc=example,dc=org";

    // The pipe to its input closes when this program ends in any way; then the server ends, too.
    private const string Script =
        """
        exec 3<&0 > log 2>&1
        (cat <&3; kill $$) &
        exec "$0" -d none -f slapd.conf -h "$1"
        """;

    private static readonly string[] _programFolders =
        ["/usr/sbin", "/usr/local/sbin", "/usr/lib/openldap", "/opt/homebrew/opt/openldap/libexec"];
    private static readonly string[] _schemaFolders =
        ["/etc/ldap/schema", "/etc/openldap/schema", "/opt/homebrew/etc/openldap/schema"];
    private static readonly string[] _moduleFolders = ["/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap"];

    private readonly string _folder = Directory.CreateTempSubdirectory("slapd-").FullName;
    private Process? _server;

    private Slapd()
    {
    }

    public int Port { get; } = FreePort();

    /// <summary>The account that may do everything.</summary>
    public string AdminDn { get; } = "cn=admin," + Base;

    public string AdminPassword { get; } = NewPassword();

    /// <summary>What this machine lacks to run a server, or null.</summary>
    public static string? Missing =>
        PlaceOf("slapd", _programFolders) is null || PlaceOf("slapadd", _programFolders) is null
            ? "OpenLDAP's server (Debian: slapd) is not installed"
            : PlaceOf("inetorgperson.schema", _schemaFolders) is null ? "the schemas of OpenLDAP are not installed" : null;

    /// <summary>A password that no other account on this machine knows.</summary>
    public static string NewPassword() => RandomNumberGenerator.GetHexString(32);

    /// <summary>Starts a server.</summary>
    /// <param name="ldif">The entries below <see cref="Base"/>, as LDIF.</param>
    public static Slapd Start(string ldif)
    {
        var slapd = new Slapd();
        try
        {
            slapd.Fill(ldif);
            slapd.Run();
            return slapd;
        }
        catch
        {
            slapd.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        _server?.StandardInput.Close();
        _server?.WaitForExit();
        _server?.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private void Fill(string ldif)
    {
        Directory.CreateDirectory(Path.Combine(_folder, "data"));
        File.WriteAllText(Path.Combine(_folder, "slapd.conf"), Settings());
        File.WriteAllText(
            Path.Combine(_folder, "entries.ldif"),
            $"dn: {Base}\nobjectClass: organization\nobjectClass: dcObject\ndc: example\no: Example\n\n{ldif}\n");
        using var add = Launch(PlaceOf("slapadd", _programFolders)!, "-q", "-f", "slapd.conf", "-l", "entries.ldif");
        var errors = add.StandardError.ReadToEnd();
        add.WaitForExit();
        if (add.ExitCode != 0)
        {
            throw new InvalidOperationException($"slapadd refused the entries:\n{errors}");
        }
    }

    private void Run()
    {
        var url = string.Create(CultureInfo.InvariantCulture, $"ldap://127.0.0.1:{Port}");
        _server = Launch("/bin/sh", "-c", Script, PlaceOf("slapd", _programFolders)!, url);
        while (!IsConnectable(Port))
        {
            if (_server.WaitForExit(TimeSpan.FromMilliseconds(10)))
            {
                throw new InvalidOperationException($"slapd did not start:\n{File.ReadAllText(Path.Combine(_folder, "log"))}");
            }
        }
    }

    private Process Launch(string program, params string[] arguments) => Process.Start(
        new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = _folder,
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardError = true,
        })!;

    // Authenticated clients may read, only the administrator may write, and passwords cannot be read.
    private string Settings()
    {
        var schemas =
            PlaceOf("inetorgperson.schema", _schemaFolders)!.Replace("inetorgperson.schema", "", StringComparison.Ordinal);
        var modules = PlaceOf("back_mdb.so", _moduleFolders) is { } module
            ? $"modulepath {Path.GetDirectoryName(module)}\nmoduleload back_mdb\n"
            : "";
        return $"""
            include {schemas}core.schema
            include {schemas}cosine.schema
            include {schemas}inetorgperson.schema
            pidfile {_folder}/slapd.pid
            {modules}
            database mdb
            directory {_folder}/data
            dbnosync
            suffix "{Base}"
            rootdn "{AdminDn}"
            rootpw "{AdminPassword}"
            access to attrs=userPassword by anonymous auth by * none
            access to * by users read by anonymous auth

            """;
    }

    private static string? PlaceOf(string file, string[] folders) =>
        folders.Select(folder => Path.Combine(folder, file)).FirstOrDefault(File.Exists);

    // Below the ports of outgoing connections, one of which could take it before the server does.
    private static int FreePort()
    {
        int port;
        do
        {
            port = RandomNumberGenerator.GetInt32(20_000, 24_000);
        }
        while (IsConnectable(port));
        return port;
    }

    private static bool IsConnectable(int port)
    {
        try
        {
            using var client = new TcpClient();
            client.Connect(IPAddress.Loopback, port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
