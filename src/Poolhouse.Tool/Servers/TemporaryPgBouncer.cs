using System.Data.Common;
using System.Globalization;

namespace Poolhouse.Tool.Servers;

/// <summary>
/// A temporary PgBouncer in transaction mode in front of a <see cref="TemporaryPostgres"/>, on a free port of 127.0.0.1.
/// </summary>
/// <remarks>
/// Disposal stops it and removes its folder; so does the end of this program, even when it is killed. Not thread safe.
/// </remarks>
internal sealed class TemporaryPgBouncer : IAsyncDisposable, IDisposable
{
    private const string Program = "pgbouncer";
    private const int StartAttempts = 5;

    // Ends every connection at once.
    private const string StopSignal = "TERM";

    private readonly ServerFolder _folder = ServerFolder.Create();
    private readonly TemporaryPostgres _postgres;
    private ServerProcess? _process;
    private bool _disposed;

    private TemporaryPgBouncer(TemporaryPostgres postgres) => _postgres = postgres;

    /// <summary>The port.</summary>
    public int Port { get; private set; }

    /// <summary>
    /// For Npgsql: the superuser of the server on the database postgres, with the same password, through PgBouncer.
    /// </summary>
    public string ConnectionString =>
        new DbConnectionStringBuilder { ConnectionString = _postgres.ConnectionString, ["Port"] = Port }.ConnectionString;

    /// <summary>The folder with its settings, gone after disposal.</summary>
    public string Folder => _folder.Path;

    /// <summary>Whether this machine can run one.</summary>
    /// <param name="reason">The reason, if it cannot; for messages.</param>
    public static bool TryFind(out string reason)
    {
        if (ServerAccount.TryFind(out _, out reason) && ServerPrograms.Find(Program) is null)
        {
            reason = "PgBouncer is not installed (no pgbouncer in PATH or the usual folders)";
        }

        return reason.Length == 0;
    }

    /// <summary>Starts one.</summary>
    /// <param name="postgres">The server behind it.</param>
    /// <param name="poolSize">How many connections to the server it has at most.</param>
    /// <param name="cancellationToken">Cancels the start; nothing is left behind.</param>
    /// <exception cref="InvalidOperationException">This machine cannot run one, or it did not start; the message says
    /// why.</exception>
    public static async Task<TemporaryPgBouncer> StartAsync(
        TemporaryPostgres postgres,
        int poolSize = 20,
        CancellationToken cancellationToken = default)
    {
        if (!TryFind(out var reason) || !ServerAccount.TryFind(out var account, out reason))
        {
            throw new InvalidOperationException($"No PgBouncer: {reason}.");
        }

        var bouncer = new TemporaryPgBouncer(postgres);
        try
        {
            await account.GiveAsync(bouncer._folder.Path, cancellationToken).ConfigureAwait(false);
            await bouncer.StartOnFreePortAsync(account, poolSize, cancellationToken).ConfigureAwait(false);
            return bouncer;
        }
        catch
        {
            await bouncer.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (!_disposed)
        {
            _disposed = true;
            await StopAsync().ConfigureAwait(false);
            _folder.Dispose();
        }
    }

    public void Dispose()
    {
        if (!_disposed)
        {
            _disposed = true;
            _process?.Stop(StopSignal);
            _process?.Dispose();
            _folder.Dispose();
        }
    }

    private string LogFile => _folder.At(ServerProcess.LogName);

    private async Task StartOnFreePortAsync(ServerAccount account, int poolSize, CancellationToken cancellationToken)
    {
        var settings = _folder.At("pgbouncer.ini");
        await File.WriteAllTextAsync(
            UserFile, $"\"{_postgres.User}\" \"{_postgres.Password.Replace("\"", "\"\"", StringComparison.Ordinal)}\"\n",
            cancellationToken)
            .ConfigureAwait(false);
        await account.GiveAsync(UserFile, cancellationToken).ConfigureAwait(false);
        for (var attempt = 1; ; attempt++)
        {
            Port = LoopbackPort.Find();
            await File.WriteAllTextAsync(settings, Settings(poolSize), cancellationToken).ConfigureAwait(false);
            await account.GiveAsync(settings, cancellationToken).ConfigureAwait(false);
            _process = ServerProcess.Start(_folder, account.CommandFor([ServerPrograms.Find(Program)!, settings]));
            try
            {
                await _process.WaitUntilAsync(IsReady, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (InvalidOperationException e) when (
                attempt < StartAttempts && e.Message.Contains("Address already in use", StringComparison.Ordinal))
            {
                await StopAsync().ConfigureAwait(false);
                File.Delete(LogFile);
            }
        }
    }

    private string UserFile => _folder.At("users");

    private string QuotedPassword => _postgres.Password.Replace("'", "''", StringComparison.Ordinal);

    private string Settings(int poolSize) => string.Create(
        CultureInfo.InvariantCulture,
        $"""
         [databases]
         * = host=127.0.0.1 port={_postgres.Port} user={_postgres.User} password='{QuotedPassword}'
         [pgbouncer]
         listen_addr = 127.0.0.1
         listen_port = {Port}
         unix_socket_dir =
         auth_type = md5
         auth_file = {UserFile}
         pool_mode = transaction
         default_pool_size = {poolSize}
         max_client_conn = 1000
         ignore_startup_parameters = extra_float_digits

         """);

    // It reports that in its log; a connection alone would not distinguish it from another process on the port.
    private bool IsReady() => _folder.ReadShared(ServerProcess.LogName).Contains("process up", StringComparison.Ordinal);

    private async Task StopAsync()
    {
        if (_process is { } process)
        {
            await process.StopAsync(StopSignal).ConfigureAwait(false);
            process.Dispose();
            _process = null;
        }
    }
}
