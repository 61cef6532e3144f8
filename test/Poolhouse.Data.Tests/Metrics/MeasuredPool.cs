using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Metrics;

/// <summary>A pool of fake connections, leased or through a data source: renting and returning, blocking or not.</summary>
internal sealed class MeasuredPool : IDisposable
{
    private readonly DbConnectionPool<FakeConnection>? _pool;
    private readonly PooledDataSource? _source;

    public MeasuredPool(bool leases, FakeDb db, DbPoolOptions options)
    {
        if (leases)
        {
            _pool = new DbConnectionPool<FakeConnection>(db, options);
        }
        else
        {
            _source = PooledDataSource.Create(db, options);
        }
    }

    public ResourcePoolStatistics Statistics => _pool?.GetStatistics() ?? _source!.GetStatistics();

    public async ValueTask<IDisposable> RentAsync(CancellationToken cancellationToken = default) => _pool is not null
        ? await _pool.RentAsync(cancellationToken)
        : await _source!.OpenConnectionAsync(cancellationToken);

    public IDisposable Rent() => _pool is not null ? _pool.Rent() : _source!.OpenConnection();

    /// <summary>Rents on a thread that may block, under the caller's activity.</summary>
    public Task<IDisposable> BeginRentAsync(bool synchronous) => synchronous
        ? Task.Factory.StartNew(Rent, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        : RentAsync().AsTask();

    /// <summary>Waits until a caller is in the queue.</summary>
    public void AwaitQueue() => Assert.True(SpinWait.SpinUntil(() => Statistics.Waiting == 1, TimeSpan.FromMinutes(1)));

    public void Resize(int maxSize)
    {
        _pool?.Resize(maxSize);
        _source?.Resize(maxSize);
    }

    public void Reconfigure(DbPoolOptions options)
    {
        _pool?.Reconfigure(options);
        _source?.Reconfigure(options);
    }

    public void Trim() => _ = _pool?.Trim() ?? _source!.Trim();

    public void Dispose()
    {
        _pool?.Dispose();
        _source?.Dispose();
    }
}
