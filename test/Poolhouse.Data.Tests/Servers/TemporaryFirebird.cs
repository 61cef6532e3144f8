using System.Globalization;
using System.Net.Sockets;
using FirebirdSql.Data.FirebirdClient;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

/// <summary>
/// A Firebird server of a test's own on 127.0.0.1, in a private folder. Disposal stops it; so does the end of this program.
/// </summary>
internal sealed class TemporaryFirebird : IAsyncDisposable
{
    private const string SecurityScript = "/usr/share/firebird/3.0/security.sql";

    private readonly ServerFolder _folder = ServerFolder.Create();
    private readonly string _password = ServerPassword.Create();
    private readonly int _port = LoopbackPort.Find();
    private readonly ServerAccount _account;
    private readonly string _program;
    private ServerProcess? _process;
    private int _databases;

    private TemporaryFirebird(ServerAccount account, string program) => (_account, _program) = (account, program);

    // A folder for each architecture.
    private static string? Plugins => Directory.EnumerateDirectories("/usr/lib", "*-linux-*")
        .Select(folder => Path.Combine(folder, "firebird", "3.0")).FirstOrDefault(Directory.Exists);

    public static async Task<TemporaryFirebird> StartAsync(CancellationToken cancellationToken)
    {
        var isFound = ServerAccount.TryFind(out var account, out var reason);
        Assert.SkipUnless(isFound, reason);
        var (shell, server) = (ServerPrograms.Find("isql-fb"), ServerPrograms.Find("firebird"));
        Assert.SkipWhen(
            shell is null || server is null || Plugins is null || !File.Exists(SecurityScript),
            "Firebird 3.0 is not installed as on Debian (no firebird, isql-fb, plugins or security.sql)");
        var firebird = new TemporaryFirebird(account, server!);
        try
        {
            await firebird.InitializeAsync(shell!, cancellationToken);
            await firebird.StartAgainAsync(cancellationToken);
            return firebird;
        }
        catch
        {
            await firebird.DisposeAsync();
            throw;
        }
    }

    /// <summary>The administrator's connection string for a new, empty database.</summary>
    public async Task<string> CreateDatabaseAsync()
    {
        var builder = new FbConnectionStringBuilder
        {
            DataSource = "127.0.0.1",
            Port = _port,
            UserID = "SYSDBA",
            Password = _password,
            Database = _folder.At($"test{Interlocked.Increment(ref _databases)}.fdb"),
        };
        await FbConnection.CreateDatabaseAsync(builder.ConnectionString);
        return builder.ConnectionString;
    }

    /// <summary>Stops the server at once. Nothing happens if it is stopped.</summary>
    public async Task StopAsync()
    {
        if (_process is { } process)
        {
            await process.StopAsync("KILL");
            process.Dispose();
            _process = null;
        }
    }

    /// <summary>Starts the stopped server on the same port, with the same data. Nothing happens if it runs.</summary>
    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (_process is null)
        {
            // The environment names the folder too, but its guard looks for it in the arguments.
            _process = ServerProcess.Start(_folder, CommandFor(_program, "-e", _folder.Path));
            await _process.WaitUntilAsync(IsListening, cancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _folder.Dispose();
    }

    private async Task InitializeAsync(string shell, CancellationToken cancellationToken)
    {
        foreach (var part in (string[])["plugins", "intl", "plugins.conf"])
        {
            File.CreateSymbolicLink(_folder.At(part), Path.Combine(Plugins!, part));
        }

        await File.WriteAllTextAsync(
            _folder.At("firebird.conf"),
            string.Create(
                CultureInfo.InvariantCulture,
                $"""
                RemoteBindAddress = 127.0.0.1
                RemoteServicePort = {_port}
                SecurityDatabase = {_folder.At("security.fdb")}
                AuthServer = Srp
                UserManager = Srp
                ServerMode = Super

                """),
            cancellationToken);

        // Every account of the machine can reach the port: only the tests know the password of the only user.
        await File.WriteAllTextAsync(
            _folder.At("setup.sql"),
            $"""
            CREATE DATABASE '{_folder.At("security.fdb")}' USER 'SYSDBA';
            INPUT '{SecurityScript}';
            COMMIT;
            CREATE USER SYSDBA PASSWORD '{_password}';
            COMMIT;

            """,
            cancellationToken);
        await _account.GiveAsync(_folder.Path, cancellationToken);
        await _account.GiveAsync(_folder.At("setup.sql"), cancellationToken);
        await ServerCommand.RunAsync(_folder.Path, CommandFor(shell, "-q", "-i", _folder.At("setup.sql")), cancellationToken);
    }

    // It finds its configuration, locks and temporary files by its environment.
    private IReadOnlyList<string> CommandFor(params IReadOnlyList<string> command) => _account.CommandFor(
        [
            ServerPrograms.Find("env")!, "FIREBIRD=" + _folder.Path, "FIREBIRD_LOCK=" + _folder.Path,
            "FIREBIRD_TMP=" + _folder.Path, .. command,
        ]);

    private bool IsListening()
    {
        using var client = new TcpClient();
        try
        {
            client.Connect("127.0.0.1", _port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
