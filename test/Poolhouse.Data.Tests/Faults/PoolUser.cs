using System.Collections.Concurrent;
using System.Data.Common;
using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using Npgsql;
using Poolhouse.Data.Tests.Faults.Kinds;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>One pool, used through one of its APIs, and the outcomes of its users.</summary>
/// <remarks>
/// Its sessions have a distinct name on the server. A blocking API blocks in all its methods, so several users at once run on
/// threads of their own: <see cref="RunAsync"/>.
/// </remarks>
internal sealed class PoolUser : IAsyncDisposable
{
    private static int _made;

    private readonly DbDataSource _provider;
    private readonly DbConnectionPool<DbConnection>? _pool;
    private readonly PooledDataSource? _source;
    private readonly ConcurrentDictionary<int, int> _errorsOfSessions = new();
    private readonly ConcurrentDictionary<int, bool> _opened = new();
    private readonly PoolApi _api;
    private long _nonce;

    public PoolUser(PoolApi api, string connectionString, ResourcePoolOptions pool, Action<DbPoolOptions>? configure =
        null, Action<NpgsqlConnectionStringBuilder>? connect = null)
        : this(api, ServerKind.PostgreSql, name => PostgreSqlKind.CreateSource(connectionString, name, connect), pool, configure)
    {
    }

    public PoolUser(
        PoolApi api, ServerKind kind, string connectionString, ResourcePoolOptions pool, Action<DbPoolOptions>? configure = null)
        : this(api, kind, name => kind.CreateSource(connectionString, name), pool, configure)
    {
    }

    private PoolUser(
        PoolApi api, ServerKind kind, Func<string, DbDataSource> connect, ResourcePoolOptions pool,
        Action<DbPoolOptions>? configure)
    {
        _api = api;
        Kind = kind;
        SessionName = string.Create(CultureInfo.InvariantCulture, $"user{Interlocked.Increment(ref _made)}");
        _provider = connect(SessionName);
        if (kind.CancelsOnASession)
        {
            _provider = new RecordingSource(_provider, connection => _opened[kind.SessionOf(connection)] = true);
        }

        var options = new DbPoolOptions { Pool = pool, FatalErrorSpread = TimeSpan.Zero };
        configure?.Invoke(options);
        if (api is PoolApi.LeaseAsync or PoolApi.LeaseSync)
        {
            _pool = new DbConnectionPool<DbConnection>(_provider, options);
        }
        else
        {
            _source = PooledDataSource.Create(_provider, options);
        }
    }

    public ServerKind Kind { get; }

    /// <summary>
    /// The name by which the server lists its sessions: the application_name, or on MariaDB a database of its own.
    /// </summary>
    public string SessionName { get; }

    /// <summary>Whether a session of this name is one that the pool opened, rather than one of the provider's own.</summary>
    public bool IsOwn(int session) => !Kind.CancelsOnASession || _opened.ContainsKey(session);

    public bool IsSynchronous => _api is PoolApi.LeaseSync or PoolApi.SourceSync;

    public ResourcePoolStatistics Statistics => _pool?.GetStatistics() ?? _source!.GetStatistics();

    /// <summary>The number of errors on each session, by its process on the server.</summary>
    /// <remarks>
    /// A token that was cancelled before anything was sent is no error of the session: a wrapper keeps it. Npgsql's other
    /// cancellations carry what the server or the line said to them. Nor is a time limit of the server, which ends only the
    /// statement.
    /// </remarks>
    public IReadOnlyDictionary<int, int> ErrorsOfSessions => _errorsOfSessions;

    public int Errors => _errorsOfSessions.Values.Sum();

    /// <summary>Settings with short delays, so that one back-off cap is a time that a test can wait for.</summary>
    public static ResourcePoolOptions Options(int maxSize) => new()
    {
        MaxSize = maxSize,
        RentTimeout = TimeSpan.FromSeconds(20),

        // How long a server takes to start depends on the machine.
        OutageTimeout = Timeout.InfiniteTimeSpan,
        RetryDelay = TimeSpan.FromMilliseconds(20),
        MaxRetryDelay = TimeSpan.FromMilliseconds(200),
        ValidateAfterIdle = Timeout.InfiniteTimeSpan,
    };

    /// <summary>
    /// Opens connections before a fault begins; again after a timeout: the short limits of a test apply to this, too, and the
    /// machine may be busy.
    /// </summary>
    public Task WarmUpAsync(int count)
    {
        return Patience.UntilAsync(TryWarmUpAsync, failure => failure is null, "the pool is warm");

        async ValueTask<Exception?> TryWarmUpAsync()
        {
            try
            {
                await Patience.WithinAsync(_pool?.WarmUpAsync(count, TestContext.Current.CancellationToken)
                    ?? _source!.WarmUpAsync(count, TestContext.Current.CancellationToken));
                return null;
            }
            catch (Exception failure) when (failure is NpgsqlException { InnerException: TimeoutException }
                || failure is PostgresException { SqlState: PostgresErrorCodes.IdleSessionTimeout }
                || (failure is TimeoutException && Statistics.CreateFailures > 0))
            {
                return failure;
            }
        }
    }

    public void Clear()
    {
        _pool?.Clear();
        _source?.Clear();
    }

    /// <summary>Runs a user; on a separate thread where the API blocks.</summary>
    public Task<T> RunAsync<T>(Func<Task<T>> use) => IsSynchronous
        ? Task.Factory.StartNew(use, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap()
        : Task.Run(use, CancellationToken.None);

    public Task RunAsync(Func<Task> use) => RunAsync(async () =>
    {
        await use();
        return true;
    });

    public async Task<PoolSession> OpenAsync(CancellationToken cancellationToken = default)
    {
        switch (_api)
        {
            case PoolApi.LeaseAsync:
                {
                    var lease = await _pool!.RentAsync(cancellationToken);
                    return new PoolSession(this, lease.Value, lease);
                }

            case PoolApi.LeaseSync:
                {
                    var lease = _pool!.Rent(cancellationToken);
                    return new PoolSession(this, lease.Value, lease);
                }

            case PoolApi.SourceAsync:
                return new PoolSession(this, await _source!.OpenConnectionAsync(cancellationToken), lease: null);
            default:
                return new PoolSession(this, _source!.OpenConnection(), lease: null);
        }
    }

    /// <summary>Opens, runs one query, closes.</summary>
    public async Task<object?> QueryAsync(string sql, CancellationToken cancellationToken = default)
    {
        await using var session = await OpenAsync(cancellationToken);
        return await session.QueryAsync(sql, cancellationToken);
    }

    /// <summary>Runs a query whose answer is unique to this call.</summary>
    public async Task<int> AskNonceAsync(CancellationToken cancellationToken = default)
    {
        await using var session = await OpenAsync(cancellationToken);
        await AskNonceAsync(session, cancellationToken);
        return session.Process;
    }

    public async Task AskNonceAsync(PoolSession session, CancellationToken cancellationToken = default)
    {
        var nonce = Interlocked.Increment(ref _nonce);
        Assert.Equal(
            nonce,
            Convert.ToInt64(await session.QueryAsync(Kind.SelectNumber(nonce), cancellationToken), CultureInfo.InvariantCulture));
    }

    /// <summary>Tries a query, whatever the server does: null if it succeeded, otherwise the exception.</summary>
    public async Task<DbException?> TryAskNonceAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await AskNonceAsync(cancellationToken);
            return null;
        }
        catch (DbException failure)
        {
            return failure;
        }
    }

    /// <summary>Tries a query, whatever the server does, and returns whether it succeeded.</summary>
    public async Task<bool> TryServeAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await AskNonceAsync(cancellationToken);
            return true;
        }
        catch (Exception failure) when (IsFailure(failure))
        {
            return false;
        }
    }

    /// <summary>
    /// Whether a provider reports a failure of the database: MySqlConnector's commands throw those of the socket as they are, and
    /// SqlClient sometimes finds only that its connection was closed while a command was running.
    /// </summary>
    public static bool IsFailure(Exception exception) =>
        exception is DbException or SocketException or IOException
            or InvalidOperationException { Message: "Invalid operation. The connection is closed." };

    /// <summary>
    /// After the end of a fault: served within one back-off cap, by each of several callers, and nothing left behind on either
    /// side.
    /// </summary>
    public async Task AssertRecoveredAsync(ISessionWatch watch, int callers = 4)
    {
        var started = Stopwatch.GetTimestamp();
        await Patience.WithinAsync(RunAsync(AskUntilServedAsync));
        var served = Stopwatch.GetElapsedTime(started);
        Assert.InRange(served, TimeSpan.Zero, TimeSpan.FromMilliseconds(200) + Patience.Slack);
        await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, callers).Select(_ => RunAsync(AskUntilServedAsync))));
        Assert.All(_errorsOfSessions, session => Assert.Equal(1, session.Value));
        await AssertNothingLeakedAsync(watch);
    }

    private async Task AskUntilServedAsync()
    {
        var started = Stopwatch.GetTimestamp();
        while (!await TryServeAsync())
        {
            Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, Patience.Limit);
        }
    }

    public async Task AssertNothingLeakedAsync(ISessionWatch watch)
    {
        await Patience.UntilAsync(
            () => new ValueTask<ResourcePoolStatistics>(Statistics),
            now => now is { Leased: 0, Waiting: 0 } && now.Live == now.Idle && now.Idle == now.Created - now.Destroyed
                && now.Live <= now.MaxSize,
            "the pool is at rest");
        await Patience.UntilAsync(
            () => watch.ListAsync(SessionName), list => list.Count <= Statistics.Idle,
            "the server has no more sessions than the pool");
    }

    public async ValueTask DisposeAsync()
    {
        if (_pool is not null)
        {
            await _pool.DisposeAsync();
        }

        if (_source is not null)
        {
            await _source.DisposeAsync();
        }

        await _provider.DisposeAsync();
    }

    internal bool Saw(PoolSession session, Exception failure)
    {
        if (failure is not OperationCanceledException { InnerException: null } && !Kind.IsTimeLimit(failure))
        {
            _errorsOfSessions.AddOrUpdate(session.Process, 1, static (_, count) => count + 1);
        }

        if (session.Lease is { } lease)
        {
            _pool!.ObserveFailure(lease, failure);
        }

        return false;
    }
}
