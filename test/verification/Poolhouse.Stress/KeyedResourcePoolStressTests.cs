using System.Collections.Concurrent;
using Poolhouse.Testing;

namespace Poolhouse.Stress;

/// <summary>All operations concurrently on a keyed pool with less capacity than its keys need.</summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class KeyedResourcePoolStressTests(ITestOutputHelper output)
{
    private const int MostItems = 5;
    private const int MostItemsOfAKey = 3;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    private readonly StressRun _run = new(output);
    private readonly ConcurrentQueue<ScriptedPolicy<Badge>> _policies = new();
    private readonly ConcurrentDictionary<int, int> _aliveByKey = new();
    private int _alive;
    private int _steps;
    private string? _broken;

    [Theory]
    [InlineData(PolicyHooks.None, 4)]
    [InlineData(PolicyHooks.Reset | PolicyHooks.ProveClean, 4)]
    [InlineData(PolicyHooks.Create | PolicyHooks.Validate, 12)]
    public async Task Identities_never_mix_and_the_shared_bound_always_holds(PolicyHooks hooks, int keys)
    {
        var pool = new KeyedResourcePool<int, Badge>(
            key => PolicyOf(key, hooks),
            new KeyedResourcePoolOptions<int>
            {
                MaxSize = MostItems,
                KeyIdleTimeout = TimeSpan.FromSeconds(1),
                Pool = new ResourcePoolOptions { MaxSize = MostItemsOfAKey },
            });
        using var warmUps = new CancellationTokenSource();
        _run.Run(8, random => Step(pool, keys, random, warmUps.Token));
        await warmUps.CancelAsync();

        Assert.True(SpinWait.SpinUntil(() => IsAtRest(pool.GetStatistics()), _patience), $"{pool.GetStatistics()}");
        var now = pool.GetStatistics();
        Assert.Equal(now.Created, now.Idle + now.Destroyed + now.Detached);
        Assert.Equal(now.Idle, Volatile.Read(ref _alive));
        Assert.Null(_broken);

        await pool.DisposeAsync();
        now = pool.GetStatistics();
        Assert.Equal((0, 0), (now.Live, Volatile.Read(ref _alive)));
        Assert.Equal(_policies.Sum(policy => policy.Created), now.Destroyed + now.Detached);
        Assert.Equal(0, _policies.Sum(policy => policy.DestroyedWrongly));
        output.WriteLine(
            $"{now.Rented:N0} rents, {now.Created:N0} created, {now.DestroyedFor(DestroyReason.Evicted):N0} evicted, " +
            $"{now.Timeouts:N0} timeouts, {now.Cancellations:N0} cancellations, {_policies.Count} keys seen, {pool.KeyCount} " +
            "known");
    }

    private ScriptedPolicy<Badge> PolicyOf(int key, PolicyHooks hooks)
    {
        var policy = new ScriptedPolicy<Badge>(() => NewBadge(key), hooks) { OnDestroy = Leaves };
        _policies.Enqueue(policy);
        return policy;
    }

    // The capacity is taken before this and released after Leaves, so the count in between never exceeds the capacity.
    private Badge NewBadge(int key)
    {
        Expect(Interlocked.Increment(ref _alive) <= MostItems, "More items are alive than the keys may have together (I2).");
        Expect(
            _aliveByKey.AddOrUpdate(key, 1, static (_, alive) => alive + 1) <= MostItemsOfAKey,
            "A key has more items than one may have (I2).");
        return new Badge(key);
    }

    private void Leaves(Badge badge)
    {
        _aliveByKey.AddOrUpdate(badge.Key, 0, static (_, alive) => alive - 1);
        Interlocked.Decrement(ref _alive);
    }

    private void Step(KeyedResourcePool<int, Badge> pool, int keys, Random random, CancellationToken warmUps)
    {
        // Keys come and go, so that some are forgotten while callers still arrive for them.
        var key = random.Next(keys) + (Interlocked.Increment(ref _steps) / 2_000);
        Require(_broken is null, _broken ?? "");
        if (random.Next(100) == 0)
        {
            Operate(pool, key, random, warmUps);
        }

        var timeout = random.Next(8) == 0 ? TimeSpan.FromMilliseconds(random.Next(3)) : _patience;
        using var cancellation = new CancellationTokenSource();
        try
        {
            if (Rent(pool, key, timeout, cancellation, random) is { } lease)
            {
                Use(lease, key, random);
            }
        }
        catch (PoolTimeoutException) when (timeout < _patience)
        {
            // This caller could not wait.
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            // This one gave up.
        }
    }

    private static Lease<Badge>? Rent(
        KeyedResourcePool<int, Badge> pool, int key, TimeSpan timeout, CancellationTokenSource cancellation, Random random)
    {
        switch (random.Next(5))
        {
            case 0:
                return pool.TryRent(key, out var lease) ? lease : null;
            case 1:
                return pool.Rent(key, timeout, cancellation.Token);
            default:
                var renting = pool.RentAsync(key, timeout, cancellation.Token).AsTask();
                if (!renting.IsCompleted && random.Next(8) == 0)
                {
                    cancellation.Cancel();
                }

                return renting.GetAwaiter().GetResult();
        }
    }

    private void Use(Lease<Badge> lease, int key, Random random)
    {
        var badge = lease.Value;
        Require(badge.Key == key, "A caller got an item of another key (I20).");
        var nonce = random.NextInt64();
        badge.Nonce = nonce;
        Thread.SpinWait(random.Next(200));
        Require(badge.Nonce == nonce, "An item has two owners (I1).");
        switch (random.Next(40))
        {
            case 0:
                lease.Discard();
                break;
            case 1:
                Leaves(badge);
                lease.Detach();
                break;
            case 2:
                lease.Taint();
                lease.Dispose();
                break;
            default:
                lease.Dispose();
                lease.Dispose();
                break;
        }
    }

    private static void Operate(KeyedResourcePool<int, Badge> pool, int key, Random random, CancellationToken warmUps)
    {
        switch (random.Next(4))
        {
            case 0:
                pool.Clear(key);
                break;
            case 1:
                pool.Clear();
                break;
            case 2:
                pool.Trim();
                break;
            default:
                _ = pool.WarmUpAsync(key, random.Next(MostItemsOfAKey + 1), warmUps);
                break;
        }
    }

    private static bool IsAtRest(ResourcePoolStatistics now) =>
        now is { Leased: 0, Creating: 0, Validating: 0, Resetting: 0, Destroying: 0, Waiting: 0 };

    // Checked in hooks, whose exceptions the pool ignores.
    private void Expect(bool holds, string broken)
    {
        if (!holds)
        {
            _broken = broken;
        }
    }

    private static void Require(bool holds, string broken)
    {
        if (!holds)
        {
            throw new InvalidOperationException(broken);
        }
    }

    private sealed class Badge(int key)
    {
        private long _nonce;

        public int Key { get; } = key;

        public long Nonce
        {
            get => Volatile.Read(ref _nonce);
            set => Volatile.Write(ref _nonce, value);
        }
    }
}
