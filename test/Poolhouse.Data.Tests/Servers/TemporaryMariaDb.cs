using System.Globalization;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

/// <summary>
/// A MariaDB server of a test's own on 127.0.0.1, in a private folder. Disposal stops it; so does the end of this program.
/// </summary>
internal sealed class TemporaryMariaDb : IAsyncDisposable
{
    private const string User = "tester";
    private const string Ready = "ready for connections";

    private readonly ServerFolder _folder = ServerFolder.Create();
    private readonly string _password = ServerPassword.Create();
    private readonly int _port = LoopbackPort.Find();
    private readonly ServerAccount _account;
    private readonly string _program;
    private ServerProcess? _process;
    private int _starts;

    private TemporaryMariaDb(ServerAccount account, string program) => (_account, _program) = (account, program);

    /// <summary>An administrator on no database, without the provider's pool; for MySqlConnector and for MySql.Data.</summary>
    public string ConnectionString => string.Create(
        CultureInfo.InvariantCulture,
        $"Server=127.0.0.1;Port={_port};User ID={User};Password={_password};Pooling=false;SslMode=Disabled;AllowUserVariables=true");

    public static async Task<TemporaryMariaDb> StartAsync(CancellationToken cancellationToken)
    {
        var account = default(ServerAccount);
        var isFound = ServerAccount.TryFind(out account, out var reason);
        Assert.SkipUnless(isFound, reason);
        var (install, server) = (ServerPrograms.Find("mariadb-install-db"), ServerPrograms.Find("mariadbd"));
        Assert.SkipWhen(
            install is null || server is null,
            "MariaDB is not installed (no mariadbd and mariadb-install-db in PATH or the usual folders)");
        var mariaDb = new TemporaryMariaDb(account!, server!);
        try
        {
            await mariaDb.InitializeAsync(install!, cancellationToken);
            await mariaDb.StartAgainAsync(cancellationToken);
            return mariaDb;
        }
        catch
        {
            await mariaDb.DisposeAsync();
            throw;
        }
    }

    /// <summary>Stops the server in an orderly way, or at once. Nothing happens if it is stopped.</summary>
    public async Task StopAsync(bool immediately = false)
    {
        if (_process is { } process)
        {
            await process.StopAsync(immediately ? "KILL" : "TERM");
            process.Dispose();
            _process = null;
        }
    }

    /// <summary>Starts the stopped server on the same port, with the same data. Nothing happens if it runs.</summary>
    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (_process is not null)
        {
            return;
        }

        _starts++;
        _process = ServerProcess.Start(
            _folder,
            _account.CommandFor(
            [
                _program, "--no-defaults", $"--datadir={_folder.At("data")}", $"--socket={_folder.At("socket")}",
                "--bind-address=127.0.0.1",

                // Not zero, so that a test can change it.
                "--max-user-connections=100",
                string.Create(CultureInfo.InvariantCulture, $"--port={_port}"), "--skip-name-resolve", "--skip-log-bin",
                $"--init-file={_folder.At("accounts.sql")}",
                "--innodb-buffer-pool-size=8M", "--innodb-flush-log-at-trx-commit=0", $"--pid-file={_folder.At("mariadb.pid")}",
            ]));
        await _process.WaitUntilAsync(
            () => _folder.ReadShared(ServerProcess.LogName).Split(Ready).Length > _starts, cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync(immediately: true);
        _process?.Dispose();
        _folder.Dispose();
    }

    private async Task InitializeAsync(string install, CancellationToken cancellationToken)
    {
        await _account.GiveAsync(_folder.Path, cancellationToken);
        await InitialData.CopyAsync(
            "mariadb",
            _account,
            (folder, data) => ServerCommand.RunAsync(
                folder.Path,
                _account.CommandFor(
                    install, "--no-defaults", $"--datadir={data}", "--auth-root-authentication-method=normal", "--skip-test-db"),
                CancellationToken.None),
            _folder.At("data"),
            cancellationToken);

        // Every account of the machine can reach the port: only the tests know the password of the only user.
        var accounts = _folder.At("accounts.sql");
        await File.WriteAllTextAsync(
            accounts,
            $"""
            DELETE FROM mysql.global_priv WHERE User IN ('root', '', 'mysql');
            FLUSH PRIVILEGES;
            CREATE OR REPLACE USER {User}@'127.0.0.1' IDENTIFIED BY '{_password}';
            GRANT ALL ON *.* TO {User}@'127.0.0.1';

            """,
            cancellationToken);
        await _account.GiveAsync(accounts, cancellationToken);
    }
}
