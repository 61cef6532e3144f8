using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Poolhouse.Tool.Servers;

/// <summary>A temporary, empty PostgreSQL server on a free port of 127.0.0.1, for tests and measurements.</summary>
/// <remarks>
/// <para>
/// Its data are in a temporary folder and do not survive a loss of power, which makes it fast. It listens only on the
/// port, with a random password, which is stored only in a folder that only the server's account can read. Under root it runs as
/// the account postgres or nobody.
/// </para>
/// <para>
/// Disposal stops the server and removes the folder; so does the end of this program, even when it is killed. Not thread safe.
/// </para>
/// </remarks>
internal sealed class TemporaryPostgres : IAsyncDisposable, IDisposable
{
    private const int StartAttempts = 5;

    private readonly ServerFolder _folder;
    private readonly ServerAccount _account;
    private readonly string _programs;
    private readonly TemporaryPostgresOptions _options;
    private ServerProcess? _process;
    private bool _disposed;

    private TemporaryPostgres(ServerFolder folder, ServerAccount account, string programs, TemporaryPostgresOptions options)
    {
        _folder = folder;
        _account = account;
        _programs = programs;
        _options = options;
    }

    /// <summary>The port; the same after a restart.</summary>
    public int Port { get; private set; }

    /// <summary>For Npgsql: the superuser on the database postgres, with the password.</summary>
    public string ConnectionString => new DbConnectionStringBuilder
    {
        ["Host"] = "127.0.0.1",
        ["Port"] = Port,
        ["Username"] = _options.User,
        ["Password"] = _options.Password,
        ["Database"] = "postgres",
    }.ConnectionString;

    /// <summary>The name of the superuser.</summary>
    public string User => _options.User;

    /// <summary>The password of the superuser.</summary>
    public string Password => _options.Password;

    /// <summary>Whether the server runs; a frozen one does.</summary>
    public bool IsRunning => _process is not null;

    /// <summary>The id of the server's first process, the parent of all the others.</summary>
    public int ProcessId => _process?.Id ?? throw new InvalidOperationException("The server is stopped.");

    /// <summary>The folder of the server, gone after disposal.</summary>
    public string Folder => _folder.Path;

    /// <summary>Whether this machine can run one.</summary>
    /// <param name="reason">The reason, if it cannot; for messages.</param>
    public static bool TryFind(out string reason) => TryFind(out _, out _, out reason);

    /// <summary>Creates a server and starts it; takes a second or two.</summary>
    /// <param name="options">The settings; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the start; nothing is left behind.</param>
    /// <exception cref="InvalidOperationException">This machine cannot run one, or it did not start; the message says
    /// why.</exception>
    public static async Task<TemporaryPostgres> StartAsync(
        TemporaryPostgresOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        if (!TryFind(out var account, out var programs, out var reason))
        {
            throw new InvalidOperationException($"No PostgreSQL server: {reason}.");
        }

        var server = new TemporaryPostgres(ServerFolder.Create(), account, programs, options ?? new TemporaryPostgresOptions());
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
    /// Creates a standby that follows this server by streaming replication, and starts it. This server must run with
    /// <c>wal_level</c> replica and <c>max_wal_senders</c> 2 or more.
    /// </summary>
    /// <exception cref="InvalidOperationException">It did not start; the message says why.</exception>
    public async Task<TemporaryPostgres> StartStandbyAsync(CancellationToken cancellationToken = default)
    {
        var standby = new TemporaryPostgres(ServerFolder.Create(), _account, _programs, _options);
        try
        {
            var passwords = standby._folder.At("passwords");
            await File.WriteAllTextAsync(passwords, $"*:*:*:*:{Password}\n", cancellationToken).ConfigureAwait(false);
            if (!OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(passwords, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            }

            await _account.GiveAsync(standby.Folder, cancellationToken).ConfigureAwait(false);
            await _account.GiveAsync(passwords, cancellationToken).ConfigureAwait(false);
            await ServerCommand.RunAsync(
                standby.Folder,
                _account.CommandFor(
                    Path.Combine(RealFolder(), "pg_basebackup"), "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
                    $"--pgdata={standby.DataFolder}",
                    $"--dbname=host=127.0.0.1 port={Port} user={User} passfile={passwords}"),
                cancellationToken).ConfigureAwait(false);
            await standby.StartOnFreePortAsync(cancellationToken).ConfigureAwait(false);
            return standby;
        }
        catch
        {
            await standby.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Stops the server; connections to its port are refused afterwards. Nothing happens if it is stopped.</summary>
    public async Task StopAsync(PostgresStop how = PostgresStop.Fast)
    {
        if (_process is { } process)
        {
            await process.StopAsync(SignalFor(how)).ConfigureAwait(false);
            ForgetProcess();
        }
    }

    /// <summary>Starts the stopped server on the same port, with the same data. Nothing happens if it runs.</summary>
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
    public async Task RestartAsync(PostgresStop how = PostgresStop.Fast, CancellationToken cancellationToken = default)
    {
        await StopAsync(how).ConfigureAwait(false);
        await StartAgainAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Freezes every process of the server (SIGSTOP): connections stay open, and there are no answers.</summary>
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
            await StopAsync(PostgresStop.Immediate).ConfigureAwait(false);
            _folder.Dispose();
        }
    }

    public void Dispose()
    {
        if (!_disposed)
        {
            _disposed = true;
            _process?.Stop(SignalFor(PostgresStop.Immediate));
            ForgetProcess();
            _folder.Dispose();
        }
    }

    private string DataFolder => _folder.At("data");

    private string LogFile => _folder.At(ServerProcess.LogName);

    private static bool TryFind(out ServerAccount account, [NotNullWhen(true)] out string? programs, out string reason)
    {
        programs = ServerPrograms.PostgresFolder();
        if (!ServerAccount.TryFind(out account, out reason))
        {
            return false;
        }

        reason = programs is null
            ? $"PostgreSQL is not installed (no folder with postgres and initdb in {ServerPrograms.PostgresFolderVariable}, " +
                "PATH or the usual folders)"
            : "";
        return programs is not null;
    }

    // PATH may contain links to the server's programs without those of its clients.
    private string RealFolder()
    {
        var server = Path.Combine(_programs, "postgres");
        return Path.GetDirectoryName(File.ResolveLinkTarget(server, returnFinalTarget: true)?.FullName ?? server)!;
    }

    private static string SignalFor(PostgresStop how) => how == PostgresStop.Fast ? "INT" : "QUIT";

    private async Task InitializeAsync(CancellationToken cancellationToken)
    {
        await _account.GiveAsync(_folder.Path, cancellationToken).ConfigureAwait(false);
        await InitialData.CopyAsync(
            $"postgres {_options.User}", _account, MakeDataAsync, DataFolder, cancellationToken).ConfigureAwait(false);
        await SetPasswordAsync(cancellationToken).ConfigureAwait(false);
    }

    // SCRAM would cost thousands of hashes for each connection on both sides, and measurements of new connections would measure
    // those. For a random password MD5 is enough.
    private async Task MakeDataAsync(ServerFolder folder, string data)
    {
        var passwordFile = await WriteAsync(folder, ServerPassword.Create(), CancellationToken.None).ConfigureAwait(false);
        var initialize = _account.CommandFor(
            Path.Combine(_programs, "initdb"), $"--pgdata={data}", $"--username={_options.User}",
            "--encoding=UTF8", "--locale=C", "--no-sync", "--auth=md5", $"--pwfile={passwordFile}");
        await ServerCommand.RunAsync(folder.Path, initialize, CancellationToken.None).ConfigureAwait(false);
        File.Delete(passwordFile);
    }

    // Before the server starts, so that no other password ever opens it.
    private async Task SetPasswordAsync(CancellationToken cancellationToken)
    {
        var user = _options.User.Replace("\"", "\"\"", StringComparison.Ordinal);
        var password = _options.Password.Replace("'", "''", StringComparison.Ordinal);
        var statement = await WriteAsync(_folder, $"ALTER ROLE \"{user}\" PASSWORD '{password}'", cancellationToken)
            .ConfigureAwait(false);
        await ServerCommand.RunAsync(
            _folder.Path,
            _account.CommandFor(
                "/bin/sh", "-c", "exec \"$1\" --single -D \"$2\" postgres < \"$3\"", "sh",
                Path.Combine(_programs, "postgres"), DataFolder, statement),
            cancellationToken).ConfigureAwait(false);
        File.Delete(statement);
    }

    /// <summary>Writes a line into a file that only the server's account can read.</summary>
    private async Task<string> WriteAsync(ServerFolder folder, string line, CancellationToken cancellationToken)
    {
        var file = folder.At("password");
        await File.WriteAllTextAsync(file, line + "\n", cancellationToken).ConfigureAwait(false);
        await _account.GiveAsync(file, cancellationToken).ConfigureAwait(false);
        return file;
    }

    // Another process may take a free port before the server does.
    private async Task StartOnFreePortAsync(CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            Port = LoopbackPort.Find();
            try
            {
                await LaunchAsync(cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (InvalidOperationException e) when (
                attempt < StartAttempts && e.Message.Contains("Address already in use", StringComparison.Ordinal))
            {
                File.Delete(LogFile);
            }
        }
    }

    private async Task LaunchAsync(CancellationToken cancellationToken)
    {
        var settings = Settings().Select(setting => $"--{setting.Key}={setting.Value}");
        _process = ServerProcess.Start(
            _folder, _account.CommandFor([Path.Combine(_programs, "postgres"), "-D", DataFolder, .. settings]));
        try
        {
            await _process.WaitUntilAsync(IsReady, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await StopAsync(PostgresStop.Immediate).ConfigureAwait(false);
            throw;
        }
    }

    private Dictionary<string, string> Settings()
    {
        var settings = new Dictionary<string, string>(StringComparer.Ordinal)
        {
            ["listen_addresses"] = "127.0.0.1",
            ["port"] = Port.ToString(CultureInfo.InvariantCulture),
            ["unix_socket_directories"] = "",
            ["max_connections"] = _options.MaxConnections.ToString(CultureInfo.InvariantCulture),
            ["fsync"] = "off",
            ["full_page_writes"] = "off",
            ["wal_level"] = "minimal",
            ["max_wal_senders"] = "0",
        };
        foreach (var (name, value) in _options.Settings)
        {
            settings[name] = value;
        }

        return settings;
    }

    // The server keeps its state in the eighth line of this file, for pg_ctl. The first is the process: an older file means
    // nothing.
    private bool IsReady()
    {
        const int StateLine = 7;
        try
        {
            var lines = File.ReadAllLines(Path.Combine(DataFolder, "postmaster.pid"));
            return lines.Length > StateLine
                && string.Equals(lines[0], ProcessId.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
                && string.Equals(lines[StateLine].Trim(), "ready", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            return false;
        }
    }

    private ServerProcess RequireProcess() => _process ?? throw new InvalidOperationException("The server is stopped.");

    private void ForgetProcess()
    {
        _process?.Dispose();
        _process = null;
    }
}
