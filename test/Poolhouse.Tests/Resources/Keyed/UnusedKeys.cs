using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Keyed;

/// <summary>When a keyed pool checks its keys, and which of them it forgets.</summary>
public sealed class UnusedKeys : IDisposable
{
    private readonly CountingClock _clock = new();
    private readonly ManualScheduler _work = new();
    private readonly ScriptedPolicy _policy = new();
    private readonly KeyedResourcePoolOptions<string> _options;
    private KeyedResourcePool<string, Part>? _pool;

    public UnusedKeys() => _options = new KeyedResourcePoolOptions<string>
    {
        MaxSize = 4,
        Pool = new ResourcePoolOptions
        {
            MaxSize = 2,
            TimeProvider = _clock,
            Scheduler = _work,
            Random = new FixedRandom(),
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            RentTimeout = Timeout.InfiniteTimeSpan,
        },
    };

    private KeyedResourcePool<string, Part> Pool => _pool ??= new KeyedResourcePool<string, Part>(_ => _policy, _options);

    public void Dispose() => _pool?.Dispose();

    [Fact]
    public async Task An_unused_key_in_a_warm_up_is_checked_once_per_KeyIdleTimeout()
    {
        _options.MaxSize = 1;
        var held = Rent("held");
        var warm = Pool.WarmUpAsync("warm", 1);
        _work.Run();

        Assert.InRange(ChecksInOneHour(), 6, 20);
        held.Discard();
        _work.Run();
        await warm.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task An_unused_key_is_not_checked_while_the_pool_drains()
    {
        var held = Rent("held");
        Rent("unused").Discard();
        _work.Run();
        var drained = Pool.DrainAsync();
        _work.Run();

        Assert.InRange(ChecksInOneHour(), 0, 20);
        held.Dispose();
        Background.Until(() =>
        {
            _work.Run();
            return drained.IsCompleted;
        });
        await drained;
    }

    [Fact]
    public void A_key_is_kept_for_KeyIdleTimeout_after_its_last_item_is_gone()
    {
        var held = Rent("a");
        Advance(minutes: 19.9);
        held.Discard();
        _work.Run();

        Advance(minutes: 9.9);
        Assert.Equal((1, 0), (Pool.KeyCount, Pool.GetStatistics().Live));

        Advance(minutes: 10.2);
        Assert.Equal(0, Pool.KeyCount);
    }

    [Fact]
    public void A_key_with_a_minimum_survives_an_outage_and_is_refilled()
    {
        _options.Pool.MinIdle = 1;
        var lease = Rent("a");
        _policy.Creates = _ => throw new IOException("The server is down.");
        lease.Discard();
        Pool.Clear();
        _work.Run();

        Advance(minutes: 60);
        Assert.Equal((1, 0), (Pool.KeyCount, Pool.GetStatistics().Live));
        _policy.Creates = null;
        Advance(minutes: 2);

        Assert.Equal(1, Pool.GetStatistics("a")!.Idle);
    }

    private Lease<Part> Rent(string key)
    {
        var request = Pool.RentAsync(key).AsTask();
        _work.Run();
        Assert.True(request.IsCompletedSuccessfully);
        return request.GetAwaiter().GetResult();
    }

    private int ChecksInOneHour()
    {
        Advance(minutes: 30);
        var before = _clock.Fired;
        Advance(minutes: 60);
        return _clock.Fired - before;
    }

    /// <summary>Lets time pass in steps of a second, so that work is done about when it is due.</summary>
    private void Advance(double minutes)
    {
        for (var second = 0; second < minutes * 60; second++)
        {
            _clock.Advance(TimeSpan.FromSeconds(1));
            _work.Run();
        }
    }

    /// <summary>A manual clock that counts how often a timer has fired.</summary>
    private sealed class CountingClock : TimeProvider
    {
        private readonly ManualTimeProvider _inner = new();
        private int _fired;

        public int Fired => Volatile.Read(ref _fired);

        public override long TimestampFrequency => _inner.TimestampFrequency;

        public override long GetTimestamp() => _inner.GetTimestamp();

        public override DateTimeOffset GetUtcNow() => _inner.GetUtcNow();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            void Fire(object? given)
            {
                Interlocked.Increment(ref _fired);
                callback(given);
            }

            return _inner.CreateTimer(Fire, state, dueTime, period);
        }

        public void Advance(TimeSpan time) => _inner.Advance(time);
    }
}
