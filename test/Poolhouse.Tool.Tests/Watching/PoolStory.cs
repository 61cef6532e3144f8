using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>A pool whose snapshots a test writes, one a second.</summary>
internal sealed class PoolStory
{
    private static readonly DateTime _start = new(2026, 11, 28, 3, 0, 0, DateTimeKind.Utc);

    private PoolHistory? _history;
    private PoolSnapshot _last = new() { Time = _start, Name = "orders", Kind = "ResourcePool", Max = 8, HasLabels = true };

    public PoolHistory History => _history!;

    public Diagnosis Now => Diagnosis.Of(History);

    public static TimeSpan Seconds(double seconds) => TimeSpan.FromSeconds(seconds);

    /// <summary>The next snapshots, each of which changes the one before in the same way.</summary>
    public PoolStory Then(int seconds, Func<PoolSnapshot, PoolSnapshot> change)
    {
        for (var second = 0; second < seconds; second++)
        {
            _last = change(_last) with { Time = _last.Time + Seconds(1) };
            if (_history is null)
            {
                _history = new PoolHistory(_last);
            }
            else
            {
                _history.Add(_last);
            }
        }

        return this;
    }

    /// <summary>Uses of 10 ms, a hundred a second, of which one or two are in progress.</summary>
    public PoolStory Works(int seconds) => Then(seconds, pool => Used(pool, 100, Seconds(0.01)) with
    {
        Leased = 2,
        Live = 4,
        Peak = 8,
        OldestLease = Seconds(0.01),
        OldestLeases = [new HeldItem(Seconds(0.01), 1, "", "GET /orders")],
        Holders = [new Holder("GET /orders", 2)],
    });

    public static PoolSnapshot Used(PoolSnapshot pool, int uses, TimeSpan each) => pool with
    {
        Rented = pool.Rented + uses,
        Returned = pool.Returned + uses,
        UseTime = pool.UseTime + (uses * each),
    };

    /// <summary>All items are held, for the given time, and five callers wait.</summary>
    public static PoolSnapshot Full(PoolSnapshot pool, TimeSpan age) => pool with
    {
        Leased = 8,
        Live = 8,
        Waiting = 5,
        OldestWait = Seconds(0.038),
        OldestLease = age,
        OldestLeases = [.. Enumerable.Range(1, 5).Select(item => new HeldItem(age, item, "", "GET /orders"))],
        Holders = [new Holder("GET /orders", 6), new Holder("", 2)],
    };
}
