using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Tool.Servers;

/// <summary>A temporary OpenLDAP server on a free port of 127.0.0.1, for tests and measurements.</summary>
/// <remarks>
/// <para>
/// It has the schemas core, cosine and inetorgperson, one database in a temporary folder, not safe from a loss of power, and
/// <c>cn=Monitor</c>, which shows its connections to the administrator. Under root it runs as an account with fewer rights.
/// </para>
/// <para>Disposal stops the server and removes the folder; so does the end of this program, even when it is killed. Not thread
/// safe.</para>
/// </remarks>
internal sealed class TemporarySlapd : IAsyncDisposable, IDisposable
{
    private const string Program = "slapd";
    private const int StartAttempts = 5;

    private static readonly string[] _schemas = ["core", "cosine", "inetorgperson"];
    private static readonly string[] _schemaFolders = ["/etc/ldap/schema", "/etc/openldap/schema"];
    private static readonly string[] _moduleFolders = ["/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap"];

    private readonly ServerFolder _folder = ServerFolder.Create();
    private readonly ServerAccount _account;
    private readonly TemporarySlapdOptions _options;
    private ServerProcess? _process;
    private bool _disposed;

    private TemporarySlapd(ServerAccount account, TemporarySlapdOptions options)
    {
        _account = account;
        _options = options;
    }

    /// <summary>The port; the same after a restart.</summary>
    public int Port { get; private set; }

    /// <summary>The port of ldaps, where the options have a certificate; otherwise 0.</summary>
    public int TlsPort { get; private set; }

    /// <summary>The address of the server.</summary>
    public string Host { get; } = IPAddress.Loopback.ToString();

    /// <summary>The name above all entries.</summary>
    public string BaseDn => _options.BaseDn;

    /// <summary>The administrator: may do everything, and read <c>cn=Monitor</c>.</summary>
    public string AdminDn => "cn=admin," + _options.BaseDn;

    /// <summary>The administrator's password.</summary>
    public string AdminPassword => _options.AdminPassword;

    /// <summary>The folder with its settings, gone after disposal.</summary>
    public string Folder => _folder.Path;

    /// <summary>Whether the server runs; a frozen one does.</summary>
    public bool IsRunning => _process is not null;

    /// <summary>The id of the server's process.</summary>
    public int ProcessId => RequireProcess().Id;

    /// <summary>Whether this machine can run one.</summary>
    /// <param name="reason">The reason, if it cannot; for messages.</param>
    public static bool TryFind(out string reason) => TryFind(out _, out reason);

    /// <summary>Creates a server with its entries and starts it; takes well under a second.</summary>
    /// <param name="options">The settings; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the start; nothing is left behind.</param>
    /// <exception cref="InvalidOperationException">This machine cannot run one, or it did not start; the message says
    /// why.</exception>
    public static async Task<TemporarySlapd> StartAsync(
        TemporarySlapdOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        if (!TryFind(out var account, out var reason))
        {
            throw new InvalidOperationException($"No LDAP server: {reason}.");
        }

        var server = new TemporarySlapd(account, options ?? new TemporarySlapdOptions());
        try
        {
            await server.InitializeAsync(cancellationToken).ConfigureAwait(false);
            await server.StartOnFreePortAsync(cancellationToken).ConfigureAwait(false);
            return server;
        }
        catch
        {
            await server.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>
    /// Stops the server in good order; connections to its port are refused afterwards. Nothing happens if it is stopped.
    /// </summary>
    public Task StopAsync() => EndAsync("TERM");

    /// <summary>Kills the server. Nothing happens if it is stopped.</summary>
    public Task KillAsync() => EndAsync("KILL");

    /// <summary>Starts the stopped server on the same port, with the same entries. Nothing happens if it runs.</summary>
    /// <exception cref="InvalidOperationException">It did not start; the message has the end of its log.</exception>
    public async Task StartAgainAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_process is null)
        {
            await LaunchAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Stops the server and starts it again, on the same port.</summary>
    public async Task RestartAsync(CancellationToken cancellationToken = default)
    {
        await StopAsync().ConfigureAwait(false);
        await StartAgainAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Freezes the process (SIGSTOP): connections stay, new ones are accepted by the system, and there are no
    /// answers.
    /// </summary>
    public void Freeze() => RequireProcess().Freeze();

    /// <summary>Resumes a frozen server (SIGCONT).</summary>
    public void Thaw() => RequireProcess().Thaw();

    /// <summary>What the server wrote to its log so far.</summary>
    public string ReadLog() => _folder.ReadShared(ServerProcess.LogName);

    public async ValueTask DisposeAsync()
    {
        if (!_disposed)
        {
            _disposed = true;
            await KillAsync().ConfigureAwait(false);
            _folder.Dispose();
        }
    }

    public void Dispose()
    {
        if (!_disposed)
        {
            _disposed = true;
            _process?.Stop("KILL");
            ForgetProcess();
            _folder.Dispose();
        }
    }

    private string Configuration => _folder.At("slapd.conf");

    private string DataFolder => _folder.At("data");

    private string ProcessFile => _folder.At("slapd.pid");

    private static bool TryFind([NotNullWhen(true)] out ServerAccount? account, out string reason)
    {
        if (!ServerAccount.TryFind(out account, out reason))
        {
            return false;
        }

        reason = ServerPrograms.Find(Program) is null || ServerPrograms.Find("slapadd") is null
            ? "OpenLDAP's server is not installed (no slapd and slapadd in PATH or the usual folders)"
            : SchemaFolder() is null
                ? $"OpenLDAP's schemas are not installed (no {_schemas[^1]}.schema in {string.Join(" or ", _schemaFolders)})"
                : "";
        return reason.Length == 0;
    }

    private static string? SchemaFolder() =>
        Array.Find(_schemaFolders, folder => File.Exists(Path.Combine(folder, _schemas[^1] + ".schema")));

    private async Task InitializeAsync(CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(DataFolder);
        var entries = _folder.At("entries.ldif");
        await File.WriteAllTextAsync(entries, _options.Ldif ?? BaseEntry(), cancellationToken).ConfigureAwait(false);
        await File.WriteAllTextAsync(Configuration, Settings(), cancellationToken).ConfigureAwait(false);
        foreach (var path in (string[])[_folder.Path, DataFolder, entries, Configuration])
        {
            await _account.GiveAsync(path, cancellationToken).ConfigureAwait(false);
        }

        var add = _account.CommandFor(
            [ServerPrograms.Find("slapadd")!, "-q", "-f", Configuration, "-b", _options.BaseDn, "-l", entries]);
        await ServerCommand.RunAsync(_folder.Path, add, cancellationToken).ConfigureAwait(false);
    }

    // Another process may take a free port before the server does.
    private async Task StartOnFreePortAsync(CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            Port = LoopbackPort.Find();
            TlsPort = _options.Tls is null ? 0 : LoopbackPort.Find();
            try
            {
                await LaunchAsync(cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (InvalidOperationException e) when (
                attempt < StartAttempts && e.Message.Contains("Address already in use", StringComparison.Ordinal))
            {
                File.Delete(_folder.At(ServerProcess.LogName));
            }
        }
    }

    private async Task LaunchAsync(CancellationToken cancellationToken)
    {
        // In the foreground, with errors and nothing else in the log.
        const string ErrorsOnly = "none";
        File.Delete(ProcessFile);
        var urls = string.Create(CultureInfo.InvariantCulture, $"ldap://{Host}:{Port}");
        if (TlsPort != 0)
        {
            urls += string.Create(CultureInfo.InvariantCulture, $" ldaps://{Host}:{TlsPort}");
        }

        _process = ServerProcess.Start(
            _folder, _account.CommandFor([ServerPrograms.Find(Program)!, "-d", ErrorsOnly, "-f", Configuration, "-h", urls]));
        try
        {
            await _process.WaitUntilAsync(IsReady, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await KillAsync().ConfigureAwait(false);
            throw;
        }
    }

    // It leaves the file when it has its ports; a connection alone would not distinguish it from another process on the port, and
    // the file alone not whether it listens. It begins to listen on one port after the other.
    private bool IsReady() =>
        string.Equals(
            _folder.ReadShared("slapd.pid").Trim(), ProcessId.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
        && Accepts(Port)
        && (TlsPort == 0 || Accepts(TlsPort));

    private static bool Accepts(int port)
    {
        try
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            probe.Connect(IPAddress.Loopback, port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private string Settings()
    {
        var modules = Array.Find(_moduleFolders, folder => File.Exists(Path.Combine(folder, "back_mdb.so")));
        IEnumerable<string> lines =
        [
            .. _schemas.Select(schema => $"include {Path.Combine(SchemaFolder()!, schema)}.schema"),
            $"pidfile {ProcessFile}",
            .. modules is null
                ? (IEnumerable<string>)[]
                : [$"modulepath {modules}", "moduleload back_mdb", "moduleload back_monitor"],
            string.Create(CultureInfo.InvariantCulture, $"idletimeout {(int)_options.IdleTimeout.TotalSeconds}"),
            .. _options.Tls is { } tls
                ? (IEnumerable<string>)
                [
                    $"TLSCertificateFile {tls.Certificate}",
                    $"TLSCertificateKeyFile {tls.Key}",
                    $"TLSCACertificateFile {tls.Authority}",
                ]
                : [],
            .. _options.Settings,
            "database mdb",
            $"suffix \"{_options.BaseDn}\"",
            $"rootdn \"{AdminDn}\"",
            $"rootpw \"{_options.AdminPassword}\"",
            $"directory {DataFolder}",
            "dbnosync",
            "maxsize 67108864",
            "index objectClass eq",
            "access to attrs=userPassword by self write by anonymous auth by * none",
            _options.AllowAnonymousSearch
                ? "access to * by users write by * read"
                : "access to * by users write by anonymous auth",
            "database monitor",
            $"rootdn \"{AdminDn}\"",
            "access to * by * none",
        ];
        return string.Join('\n', lines) + "\n";
    }

    private string BaseEntry()
    {
        var naming = _options.BaseDn.Split(',')[0].Split('=', 2);
        return string.Equals(naming[0], "dc", StringComparison.OrdinalIgnoreCase)
            ? $"dn: {_options.BaseDn}\nobjectClass: organization\nobjectClass: dcObject\ndc: {naming[1]}\no: {naming[1]}\n"
            : $"dn: {_options.BaseDn}\nobjectClass: organization\no: {naming[1]}\n";
    }

    private async Task EndAsync(string signal)
    {
        if (_process is { } process)
        {
            await process.StopAsync(signal).ConfigureAwait(false);
            ForgetProcess();
        }
    }

    private ServerProcess RequireProcess() => _process ?? throw new InvalidOperationException("The server is stopped.");

    private void ForgetProcess()
    {
        _process?.Dispose();
        _process = null;
    }
}
