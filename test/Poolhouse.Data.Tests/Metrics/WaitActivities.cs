using System.Collections.Concurrent;
using System.Diagnostics;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Metrics;

/// <summary>The activity of a caller that had to wait for its connection.</summary>
public sealed class WaitActivities : IDisposable
{
    private readonly string _name = "pool-" + Guid.NewGuid().ToString("N");
    private readonly ManualTimeProvider _clock = new();
    private readonly FakeDb _db = new();
    private readonly ConcurrentQueue<Activity> _ended = new();
    private readonly ActivityListener _listener;

    public WaitActivities()
    {
        // The listener also gets activities from pools of other tests.
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name.Equals("Poolhouse.Data", StringComparison.Ordinal),
            Sample = static (ref _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (_name.Equals(activity.GetTagItem("db.client.connection.pool.name")))
                {
                    _ended.Enqueue(activity);
                }
            },
        };
        ActivitySource.AddActivityListener(_listener);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_queued_wait_is_a_child_activity_of_the_caller(bool leases, bool synchronous)
    {
        using var measured = Make(leases);
        var held = await measured.RentAsync(Cancel);
        _ended.Clear();
        using var caller = new Activity("caller").Start();
        var waiting = measured.BeginRentAsync(synchronous);
        measured.AwaitQueue();
        _clock.Advance(TimeSpan.FromSeconds(2));
        held.Dispose();
        (await waiting).Dispose();

        var wait = Assert.Single(_ended);
        Assert.Equal("db.client.connection.wait", wait.OperationName);
        Assert.Equal(caller.SpanId, wait.ParentSpanId);
        Assert.Equal(TimeSpan.FromSeconds(2), wait.Duration);
        Assert.Equal(_clock.GetUtcNow().UtcDateTime, wait.StartTimeUtc + wait.Duration);
        Assert.Equal("served", wait.GetTagItem("poolhouse.pool.wait.outcome"));
        Assert.Equal(ActivityStatusCode.Unset, wait.Status);
        Assert.Same(caller, Activity.Current);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_rent_without_a_wait_has_no_activity(bool leases)
    {
        using var measured = Make(leases);
        (await measured.RentAsync(Cancel)).Dispose();
        _ended.Clear();

        (await measured.RentAsync(Cancel)).Dispose();
        measured.Rent().Dispose();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => measured.RentAsync(new CancellationToken(canceled: true)).AsTask());
        Assert.Empty(_ended);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_timed_out_wait_records_the_timeout(bool leases, bool synchronous)
    {
        using var measured = Make(leases);
        using var held = await measured.RentAsync(Cancel);
        _ended.Clear();
        var waiting = measured.BeginRentAsync(synchronous);
        measured.AwaitQueue();
        _clock.Advance(TimeSpan.FromMinutes(1));
        await Assert.ThrowsAsync<DbPoolException>(() => waiting);

        var wait = Assert.Single(_ended);
        Assert.Equal("timeout", wait.GetTagItem("poolhouse.pool.wait.outcome"));
        Assert.Equal(ActivityStatusCode.Error, wait.Status);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_cancelled_wait_is_not_an_error(bool leases)
    {
        using var measured = Make(leases);
        using var held = await measured.RentAsync(Cancel);
        _ended.Clear();
        using var cancel = new CancellationTokenSource();
        var waiting = measured.RentAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);

        var wait = Assert.Single(_ended);
        Assert.Equal("cancelled", wait.GetTagItem("poolhouse.pool.wait.outcome"));
        Assert.Equal(ActivityStatusCode.Unset, wait.Status);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_wait_ended_by_disposal_records_that_the_pool_closed(bool synchronous)
    {
        var measured = Make(leases: true);
        using var held = await measured.RentAsync(Cancel);
        _ended.Clear();
        var waiting = measured.BeginRentAsync(synchronous);
        measured.AwaitQueue();
        measured.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);

        Assert.Equal("closed", Assert.Single(_ended).GetTagItem("poolhouse.pool.wait.outcome"));
    }

    public void Dispose()
    {
        _listener.Dispose();
        _db.Dispose();
    }

    private MeasuredPool Make(bool leases)
    {
        var options = new DbPoolOptions { Reset = SessionReset.None, ValidationQuery = null };
        options.Pool = new ResourcePoolOptions { MaxSize = 1, Name = _name, TimeProvider = _clock };
        return new MeasuredPool(leases, _db, options);
    }
}
