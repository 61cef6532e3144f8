using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

/// <summary>A MariaDB server of a test's own, on a socket in a private folder. Disposal stops it; so does the end of this program.</summary>
internal sealed class TemporaryMariaDb : IAsyncDisposable
{
    private readonly ServerFolder _folder = ServerFolder.Create();
    private ServerProcess? _process;

    /// <summary>For MySqlConnector: the superuser, on no database.</summary>
    public string ConnectionString => $"Server={SocketFile};ConnectionProtocol=UnixSocket;User ID=root;Pooling=false;SslMode=None";

    private string SocketFile => _folder.At("socket");

    public static async Task<TemporaryMariaDb> StartAsync(CancellationToken cancellationToken)
    {
        var account = default(ServerAccount);
        var isFound = ServerAccount.TryFind(out account, out var reason);
        Assert.SkipUnless(isFound, reason);
        var (install, server) = (ServerPrograms.Find("mariadb-install-db"), ServerPrograms.Find("mariadbd"));
        Assert.SkipWhen(install is null || server is null, "MariaDB is not installed (no mariadbd and mariadb-install-db in PATH or the usual folders)");
        var mariaDb = new TemporaryMariaDb();
        try
        {
            await account!.GiveAsync(mariaDb._folder.Path, cancellationToken);
            var data = mariaDb._folder.At("data");
            await ServerCommand.RunAsync(
                mariaDb._folder.Path,
                account.CommandFor([install!, "--no-defaults", $"--datadir={data}", "--auth-root-authentication-method=normal", "--skip-test-db"]),
                cancellationToken);
            mariaDb._process = ServerProcess.Start(
                mariaDb._folder,
                account.CommandFor(
                [
                    server!, "--no-defaults", $"--datadir={data}", $"--socket={mariaDb.SocketFile}", "--skip-networking", "--innodb-buffer-pool-size=8M",
                    $"--pid-file={mariaDb._folder.At("mariadb.pid")}",
                ]));
            await mariaDb._process.WaitUntilAsync(
                () => mariaDb._folder.ReadShared(ServerProcess.LogName).Contains("ready for connections", StringComparison.Ordinal), cancellationToken);
            return mariaDb;
        }
        catch
        {
            await mariaDb.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is { } process)
        {
            await process.StopAsync("TERM");
            process.Dispose();
            _process = null;
        }

        _folder.Dispose();
    }
}
