using System.Buffers;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Testing.Tests.Faults;

namespace Poolhouse.Testing.Tests;

/// <summary>Leaks are found although their items, leases or pools were collected.</summary>
// Each test checks that the garbage was collected: if it was kept alive by accident, the test would be meaningless.
[Collection(nameof(Leaks))]
public sealed class CollectedLeaks
{
    private const string Name = "leaky";

    private static readonly Dictionary<string, Func<Rented>> _rentFromCache = new(StringComparer.Ordinal)
    {
        ["object"] = static () => Rent(NewObjects(), static pool => pool.Get()),
        ["lease of an object"] = static () => Rent(NewObjects(), static pool => pool.Rent().Value),
        ["object with a policy"] = static () => Rent(
            new TieredObjectPool<object, Policy>(default, new ObjectPoolOptions { Name = Name }), static pool => pool.Get()),
        ["array"] = static () => Rent(NewArrays(), static pool => pool.Rent(100)),
        ["lease of an array"] = static () => Rent(NewArrays(), static pool => pool.RentExact(100).Segment.Array!),
        ["memory"] = static () => Rent(NewArrays(), static pool => new TieredMemoryPool<byte>(pool).Rent(100)),
        ["reused memory"] = static () => Rent(
            NewArrays(), static pool => new TieredMemoryPool<byte>(pool, reuseOwners: true).Rent(100)),
        ["stream"] = static () => Rent(NewStreams(), static pool => pool.Rent()),
        ["one of few samples"] = static () => Rent(
            new TieredObjectPool<object>(
                static () => new object(), options: new ObjectPoolOptions { Name = Name, ParanoidSampling = 1000 }),
            static pool => pool.Get()),
    };

    private static readonly Dictionary<string, Func<Rented>> _rentFromResourcePool = new(StringComparer.Ordinal)
    {
        ["resource"] = static () => Rent(
            ResourcePool.Create(static _ => ValueTask.FromResult(new object()), Options()), static pool => pool.Rent().Value),
        ["awaited resource"] = static () => Rent(
            ResourcePool.Create(static _ => ValueTask.FromResult(new object()), Options()),
            static pool => pool.RentAsync().AsTask().GetAwaiter().GetResult().Value),
        ["keyed"] = static () => Rent(
            new KeyedResourcePool<string, object>(static _ => NewPolicy(), KeyedOptions()),
            static pool => pool.Rent("key").Value),
        ["shared"] = static () => Rent(
            new SharedResourcePool<object>(NewPolicy(), new SharedResourcePoolOptions { Pool = Options() }),
            static pool => pool.Rent().Value),
        ["nested"] = static () => Rent(
            new NestedResourcePool<object, object>(
                NewPolicy(),
                ChildPolicy(),
                new NestedResourcePoolOptions { ParentPool = Options("parents"), ChildPool = Options() }),
            static pool => pool.Rent().Value),
        ["keyed nested"] = static () => Rent(
            new KeyedNestedResourcePool<string, object, object>(
                NewPolicy(),
                static _ => ChildPolicy(),
                new KeyedNestedResourcePoolOptions<string> { ParentPool = Options("parents"), ChildPool = KeyedOptions() }),
            static pool => pool.Rent("key").Value),
    };

    public static TheoryData<string> Caches => [.. _rentFromCache.Keys];

    public static TheoryData<string> ResourcePools => [.. _rentFromResourcePool.Keys];

    [Theory]
    [MemberData(nameof(Caches))]
    public void The_item_was_collected_and_the_pool_lives(string kind)
    {
        var scope = new LeakScope();
        var (pool, item) = RentAndForgetItem(kind, disposes: false);
        ExpectGone(item);

        EndWithOneLeak(scope);
        pool.Dispose();
    }

    [Theory]
    [MemberData(nameof(Caches))]
    public void The_item_of_a_disposed_pool_was_collected(string kind)
    {
        var scope = new LeakScope();
        var (pool, item) = RentAndForgetItem(kind, disposes: true);
        ExpectGone(item);

        EndWithOneLeak(scope);
        GC.KeepAlive(pool);
    }

    [Theory]
    [MemberData(nameof(Caches))]
    [MemberData(nameof(ResourcePools))]
    public void The_pool_and_the_item_were_collected(string kind)
    {
        var scope = new LeakScope();
        var (pool, item) = RentAndForget(kind, disposes: false);
        ExpectGone(pool, item);

        EndWithOneLeak(scope);
    }

    [Theory]
    [MemberData(nameof(Caches))]
    [MemberData(nameof(ResourcePools))]
    public void The_pool_was_disposed_and_collected(string kind)
    {
        var scope = new LeakScope();
        var (pool, item) = RentAndForget(kind, disposes: true);
        ExpectGone(pool, item);

        EndWithOneLeak(scope);
    }

    [Theory]
    [MemberData(nameof(Caches))]
    [MemberData(nameof(ResourcePools))]
    public void A_check_of_the_whole_run_finds_the_item_of_a_disposed_pool_that_was_collected(string kind)
    {
        var check = new LeakCheck();
        var (pool, item) = RentAndForget(kind, disposes: true);
        ExpectGone(pool, item);

        ExpectLeak(check.FindLeaks());
        Assert.Throws<LeakException>(check.Dispose);
    }

    [Theory]
    [MemberData(nameof(Caches))]
    [MemberData(nameof(ResourcePools))]
    public void A_check_of_the_whole_run_finds_the_item_and_the_pool_that_were_collected(string kind)
    {
        var check = new LeakCheck();
        var (pool, item) = RentAndForget(kind, disposes: false);
        ExpectGone(pool, item);

        var leaks = check.FindLeaks();
        ExpectLeak([.. leaks.Where(static leak => leak.Kind == LeakKind.Item)]);
        Assert.Contains(leaks, static leak => (leak.Kind, leak.PoolName) == (LeakKind.Pool, Name));
        Assert.Throws<LeakException>(check.Dispose);
    }

    [Fact]
    public void An_array_of_the_shared_pool_of_NET_was_collected()
    {
        var scope = new LeakScope();
        ExpectGone(RentSharedAndForget());

        Assert.Equal(LeakKind.SharedArray, Assert.Single(scope.FindLeaks()).Kind);
        Assert.Throws<LeakException>(scope.Dispose);
    }

    // Whether the finalizer runs before the end of the scope is up to the garbage collector.
    [Fact]
    public void An_item_that_a_finalizer_returned_is_a_leak()
    {
        var scope = new LeakScope();
        using var objects = NewObjects();
        using var resources = ResourcePool.Create(static _ => ValueTask.FromResult(new object()), Options("resources"));
        var (first, second) = (ForgetReturner(objects), ForgetReturner(resources));
        ExpectGone(first, second);

        Assert.Equal((1L, 0), (objects.GetStatistics().Returned, resources.GetStatistics().Leased));
        Assert.Equal(
            [Name, "resources"],
            scope.FindLeaks().Select(static leak => leak.PoolName).Order(StringComparer.Ordinal));
        Assert.Throws<LeakException>(scope.Dispose);
    }

    [Fact]
    public void Items_that_were_returned_in_any_way_are_no_leaks()
    {
        using var scope = new LeakScope();
        using var objects = NewObjects();
        using var resources = ResourcePool.Create(static _ => ValueTask.FromResult(new object()), Options());
        foreach (var lease in (Lease<object>[])[objects.Rent(), resources.Rent(TestContext.Current.CancellationToken)])
        {
            _ = lease.Detach();
        }

        foreach (var lease in (Lease<object>[])[objects.Rent(), resources.Rent(TestContext.Current.CancellationToken)])
        {
            lease.Discard();
        }

        objects.Return(Elsewhere(objects.Get));
        var last = objects.Get();
        Elsewhere(() =>
        {
            objects.Return(last);
            return last;
        });
        var late = objects.Rent();
        var lateResource = resources.Rent(TestContext.Current.CancellationToken);
        objects.Dispose();
        resources.Dispose();
        late.Dispose();
        lateResource.Dispose();

        Assert.Empty(scope.FindLeaks());
    }

    [Fact]
    public void Nothing_is_kept_alive_for_a_leak()
    {
        var scope = new LeakScope();
        var live = Array.ConvertAll(
            (string[])[.. _rentFromCache.Keys, .. _rentFromResourcePool.Keys],
            static kind => RentAndForget(kind, disposes: false));
        foreach (var (pool, item) in live)
        {
            ExpectGone(pool, item);
        }

        Assert.Equal(live.Length, scope.FindLeaks().Count);
        Assert.Equal(live.Length, Assert.Throws<LeakException>(scope.Dispose).Leaks.Count);
        Assert.Equal(live.Length, scope.FindLeaks().Count);
    }

    [Fact]
    public void An_item_that_is_returned_after_its_scope_may_be_rented_in_another_one()
    {
        using var outer = new LeakScope();

        // Without a quarantine: the next rent has the same item.
        using var pool = new TieredObjectPool<object>(
            static () => new object(), options: new ObjectPoolOptions { Name = Name, MaxRetained = 1 });
        var inner = new LeakScope();
        var item = pool.Get();
        Assert.Throws<LeakException>(inner.Dispose);
        Assert.Empty(outer.FindLeaks());
        pool.Return(item);

        Assert.Same(item, pool.Get());
        Assert.Single(outer.FindLeaks());
        pool.Return(item);
        Assert.Empty(outer.FindLeaks());
    }

    private static void EndWithOneLeak(LeakScope scope)
    {
        ExpectLeak(scope.FindLeaks());
        Assert.Throws<LeakException>(scope.Dispose);
    }

    private static void ExpectLeak(IReadOnlyList<Leak> leaks)
    {
        var leak = Assert.Single(leaks);
        Assert.Equal((LeakKind.Item, Name), (leak.Kind, leak.PoolName));
    }

    private static void ExpectGone(params WeakReference[] garbage)
    {
        // More than once: an item that a thread of the pool has just created may still be on the stack of that thread.
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Elsewhere(static () => new object());
                return !garbage.Any(static reference => reference.IsAlive);
            },
            Patience.Time));

        // What finalizers kept alive.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Pool, WeakReference Item) RentAndForget(string kind, bool disposes)
    {
        var (pool, item) = RentAndForgetItem(kind, disposes);
        return (new WeakReference(pool), item);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (IDisposable Pool, WeakReference Item) RentAndForgetItem(string kind, bool disposes)
    {
        var (pool, item) = _rentFromCache.TryGetValue(kind, out var rent) ? rent() : _rentFromResourcePool[kind]();
        if (disposes)
        {
            pool.Dispose();
        }

        return (pool, new WeakReference(item));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RentSharedAndForget() => new(ArrayPool<int>.Shared.Rent(1000));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ForgetReturner(TieredObjectPool<object> pool)
    {
        var item = pool.Get();
        return new WeakReference(new Returner(() => pool.Return(item)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ForgetReturner(ResourcePool<object> pool) => new(new Returner(pool.Rent().Dispose));

    private static object Elsewhere(Func<object> work)
    {
        object? result = null;
        var thread = new Thread(() => result = work());
        thread.Start();
        thread.Join();
        return result!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Rented Rent<TPool>(TPool pool, Func<TPool, object> rent)
        where TPool : IDisposable => new(pool, rent(pool));

    private static TieredObjectPool<object> NewObjects() =>
        new(static () => new object(), options: new ObjectPoolOptions { Name = Name });

    private static TieredArrayPool<byte> NewArrays() => new(new ArrayPoolOptions { Name = Name });

    private static StreamPool NewStreams() => new(new StreamPoolOptions { Name = Name });

    private static ResourcePolicy<object> NewPolicy() => ResourcePolicy.Create(static _ => ValueTask.FromResult(new object()));

    private static NestedPolicy<object, object> ChildPolicy() =>
        NestedPolicy.Create(static (object _, CancellationToken _) => ValueTask.FromResult(new object()));

    private static ResourcePoolOptions Options(string name = Name) => new() { MaxSize = 2, Name = name };

    private static KeyedResourcePoolOptions<string> KeyedOptions() => new() { MaxSize = 2, Pool = Options() };

    private sealed record Rented(IDisposable Pool, object Item);

    private sealed class Returner(Action giveBack)
    {
#pragma warning disable MA0055 // This is what the test checks.
        ~Returner() => giveBack();
#pragma warning restore MA0055
    }

    private readonly struct Policy : IPooledObjectPolicy<object>
    {
        public object Create() => new();

        public bool Return(object obj) => true;
    }
}
