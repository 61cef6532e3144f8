using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Keyed;

/// <summary>
/// A key comparer runs only on callers' threads and under no lock, and whatever it does, unused keys are removed (I25).
/// </summary>
public sealed class KeyComparers
{
    private readonly ManualTimeProvider _clock = new();
    private readonly Comparer _comparer = new();

    [Fact]
    public async Task Exceptions_of_a_comparer_reach_its_callers_and_not_the_timer()
    {
        await using var pool = NewPool();
        (await pool.RentAsync(new Key(1))).Dispose();
        _comparer.OnCall = () => throw new InvalidOperationException("It does not compare.");

        await Assert.ThrowsAsync<InvalidOperationException>(async () => await pool.RentAsync(new Key(1)));
        Background.AdvanceUntil(_clock, () => pool.GetStatistics().Live == 0, TimeSpan.FromHours(1), steps: 10);
        Background.AdvanceUntil(_clock, () => pool.KeyCount == 0, TimeSpan.FromHours(1), steps: 10);
    }

    [Fact]
    public async Task A_mutated_key_is_removed_and_its_callers_are_served()
    {
        await using var pool = NewPool();
        var key = new Key(1);
        (await pool.RentAsync(key)).Dispose();
        key.Value = 2;
        Background.AdvanceUntil(_clock, () => pool.GetStatistics().Live == 0, TimeSpan.FromHours(1), steps: 10);
        _clock.Advance(TimeSpan.FromHours(2));

        key.Value = 1;
        var rent = Background.Start(() => pool.Rent(key, TimeSpan.FromSeconds(2)));
        (await rent.WaitAsync(Background.Limit)).Dispose();
        Assert.Equal(1, pool.KeyCount);
    }

    [Fact]
    public async Task A_comparer_runs_under_no_lock_of_the_pool()
    {
        await using var pool = NewPool();
        (await pool.RentAsync(new Key(1))).Dispose();
        var calls = 0;
        _comparer.OnCall = () =>
        {
            calls++;
            Assert.True(Background.CanDo(() => pool.GetStatistics()), "The comparer runs under a lock.");
        };

        (await pool.RentAsync(new Key(1))).Dispose();
        (await pool.RentAsync(new Key(2))).Dispose();
        Assert.NotEqual(0, calls);
    }

    [Fact]
    public async Task Callers_of_one_new_key_share_one_pool()
    {
        await using var pool = NewPool();
        Threads.Run(4, _ => pool.Rent(new Key(7), Background.Limit).Dispose());
        Assert.Equal((1, 1L), (pool.KeyCount, pool.GetStatistics().Live));
    }

    private KeyedResourcePool<Key, Part> NewPool() => new(_ => new ScriptedPolicy(), new KeyedResourcePoolOptions<Key>
    {
        MaxSize = 4,
        KeyComparer = _comparer,
        Pool = new ResourcePoolOptions { MaxSize = 1, TimeProvider = _clock, IdleTimeout = TimeSpan.FromMinutes(1) },
    });

    private sealed class Key(int value)
    {
        public int Value { get; set; } = value;
    }

    private sealed class Comparer : IEqualityComparer<Key>
    {
        public Action? OnCall { get; set; }

        public bool Equals(Key? x, Key? y)
        {
            OnCall?.Invoke();
            return x!.Value == y!.Value;
        }

        public int GetHashCode(Key obj)
        {
            OnCall?.Invoke();
            return obj.Value;
        }
    }
}
