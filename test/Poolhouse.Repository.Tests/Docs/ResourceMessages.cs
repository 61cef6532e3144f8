using Poolhouse.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes a resource pool throw each of its messages, once.</summary>
internal static class ResourceMessages
{
    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["timeout: all are leased"] = () => WhileLeased(new Hooks(), pool => pool.Rent(TimeSpan.Zero)),
        ["timeout: creating hangs"] =
            () => With(new Hooks { Create = Hang<object> }, pool => pool.Rent(TimeSpan.FromMilliseconds(1))),
        ["timeout: validating hangs"] = () => AfterReturn(new Hooks { Validate = Hang<bool> }, pool => pool.Rent(TimeSpan.Zero)),
        ["timeout: resetting hangs"] = () => AfterReturn(new Hooks { Reset = Hang<bool> }, pool => pool.Rent(TimeSpan.Zero)),
        ["timeout: destroying hangs"] = () => With(new Hooks { Destroy = async () => await Hang<bool>() }, DiscardAndRent),
        ["timeout: no room"] = RentWithoutRoom,
        ["timeout: budget"] =
            () => WhileLeased(
                new Hooks(), pool => pool.Rent(TimeSpan.Zero),
                options => (options.MaxSize, options.Budget) = (2, PoolBudget.Fixed(1))),
        ["refused by the budget"] = () => With(
            new Hooks(), pool => pool.WarmUpAsync(1).GetAwaiter().GetResult(), options => options.Budget = new ClosedBudget()),
        ["timeout: suspended"] = () => With(new Hooks(), SuspendAndRent),
        ["timeout: nested rent"] =
            () => WhileLeased(new Hooks(), pool => pool.Rent(TimeSpan.Zero), options => options.TrackLeases = true),
        ["too many waiters"] = () => WhileLeased(new Hooks(), pool => pool.Rent(), options => options.MaxWaiters = 0),
        ["timeout: all uses of a shared pool"] = () => WhileShared(pool => pool.Rent(TimeSpan.Zero)),
        ["too many waiters of a shared pool"] = () => WhileShared(pool => pool.Rent(), options => options.MaxWaiters = 0),
        ["shed"] = Shed,
        ["unavailable"] =
            () => With(new Hooks { Create = Fail }, FailAndRent, options => options.OutageTimeout = TimeSpan.Zero),
        ["create gives null"] = () => With(
            new Hooks { Create = () => new ValueTask<object>(result: null!) },
            pool => pool.Rent()),
        ["create takes too long"] = CreateTooLong,
        ["destroy takes too long"] = DestroyTooLong,
        ["no policy for a key"] = RentWithoutPolicy,
        ["no synchronous create"] = () => new AsynchronousPolicy().Create(CancellationToken.None),
        ["rent after disposal"] = () => With(new Hooks(), DisposeAndRent),
        ["disposal during a warm-up"] = () => With(new Hooks { Create = Hang<object> }, WarmUpAndDispose),
        ["lease of another pool"] = InvalidateForeignLease,
        ["lease of another nested pool"] = InvalidateForeignChild,
        ["invalid options of a nested pool"] = () => NewNested(maxChildren: 2),
        ["invalid options"] = () => With(new Hooks(), pool => pool.Resize(0)),
        ["unchangeable option"] =
            () => With(new Hooks(), pool => pool.Reconfigure(new ResourcePoolOptions { MaxSize = 1, Name = "other" })),
        ["negative timeout"] = () => With(new Hooks(), pool => pool.Rent(TimeSpan.FromSeconds(-2))),
        ["too many to warm up"] = () => With(new Hooks(), pool => pool.WarmUpAsync(2).GetAwaiter().GetResult()),
        ["no servers"] = () => new ServerSet<string>([]),
        ["the same server twice"] = () => new ServerSet<string>(["a", "a"]),
        ["no server creates"] = () => new ServerSet<string>(["a", "b"]).Create<object>(
            (_, _) => throw new HttpRequestException(), Timeout.InfiniteTimeSpan),
        ["server creates null"] = () => new ServerSet<string>(["a"]).Create<object>((_, _) => null!, Timeout.InfiniteTimeSpan),
        ["server too slow"] = ServerTooSlow,
        ["item leased twice"] = () => new Source().BeginTwice(),
        ["item of another source"] = () => new Source().BeginForeign(new Source()),
        ["null policy"] = () => new ResourcePool<object>(null!, new ResourcePoolOptions { MaxSize = 1 }),
    };

    private static ResourcePoolOptions Options => new()
    {
        MaxSize = 1,
        Name = "house",
        RetryDelay = TimeSpan.FromDays(1),
        MaxRetryDelay = TimeSpan.FromDays(1),
        ValidateAfterIdle = TimeSpan.Zero,
    };

    private static void RentWithoutPolicy()
    {
        using var pool = new KeyedResourcePool<string, object>(
            static _ => null!, new KeyedResourcePoolOptions<string> { MaxSize = 1, Pool = Options });
        pool.Rent("key");
    }

    private static void InvalidateForeignChild()
    {
        using var pool = NewNested(maxChildren: 1);
        using var other = NewNested(maxChildren: 1);
        using var lease = other.Rent();
        pool.Invalidate(lease);
    }

    private static NestedResourcePool<object, object> NewNested(int maxChildren) => new(
        new AsynchronousPolicy(),
        new ChildPolicy(),
        new NestedResourcePoolOptions
        {
            ParentPool = Options,
            ChildPool = new ResourcePoolOptions { MaxSize = maxChildren },
            MaxChildrenPerParent = 1,
        });

    private static void With(Hooks hooks, Action<ResourcePool<object>> act, Action<ResourcePoolOptions>? change = null)
    {
        var options = Options;

        change?.Invoke(options);
        using var pool = hooks.PoolOf(options);
        act(pool);
    }

    private static void WhileLeased(Hooks hooks, Action<ResourcePool<object>> act, Action<ResourcePoolOptions>? change = null) =>
        With(
        hooks,
        pool =>
        {
            using var lease = pool.Rent();
            act(pool);
        },
        change);

    private static void WhileShared(Action<SharedResourcePool<object>> act, Action<ResourcePoolOptions>? change = null)
    {
        var options = new SharedResourcePoolOptions { Pool = Options, MaxUsesPerItem = 1 };
        change?.Invoke(options.Pool);
        using var pool = new SharedResourcePool<object>(new AsynchronousPolicy(), options);
        using var lease = pool.Rent();
        act(pool);
    }

    private static void AfterReturn(Hooks hooks, Action<ResourcePool<object>> act) => With(
        hooks,
        pool =>
        {
            pool.Rent().Dispose();
            act(pool);
        });

    private static void DiscardAndRent(ResourcePool<object> pool)
    {
        pool.Rent().Discard();
        pool.Rent(TimeSpan.Zero);
    }

    private static void RentWithoutRoom()
    {
        using var pool = new ResourcePool<object>(new FullServer(), Options);
        pool.Rent(TimeSpan.FromSeconds(1));
    }

    private static void FailAndRent(ResourcePool<object> pool)
    {
        Assert.Throws<HttpRequestException>(() => pool.WarmUpAsync(1).GetAwaiter().GetResult());
        pool.Rent(TimeSpan.FromMilliseconds(1));
    }

    private static void SuspendAndRent(ResourcePool<object> pool)
    {
        pool.Suspend();
        pool.Rent(TimeSpan.Zero);
    }

    private static void DisposeAndRent(ResourcePool<object> pool)
    {
        pool.Dispose();
        pool.Rent();
    }

    private static void WarmUpAndDispose(ResourcePool<object> pool)
    {
        var warmUp = pool.WarmUpAsync(1);
        pool.Dispose();
        warmUp.GetAwaiter().GetResult();
    }

    private static void InvalidateForeignLease()
    {
        using var other = new Hooks().PoolOf(Options);
        using var lease = other.Rent();
        With(new Hooks(), pool => pool.Invalidate(lease));
    }

    private static void Shed()
    {
        var clock = new ManualTimeProvider();
        WhileLeased(
            new Hooks(),
            pool =>
            {
                var waiting = pool.RentAsync().AsTask();
                clock.Advance(TimeSpan.FromSeconds(2));
                waiting.GetAwaiter().GetResult();
            },
            options =>
            {
                options.TimeProvider = clock;
                options.Overload = new OverloadOptions();
            });
    }

    private static void CreateTooLong()
    {
        var clock = new ManualTimeProvider();
        using var begun = new ManualResetEventSlim();
        var hooks = new Hooks
        {
            Create = () =>
            {
                begun.Set();
                return Hang<object>();
            },
        };
        With(
            hooks,
            pool =>
            {
                var waiting = pool.WarmUpAsync(1);
                begun.Wait();
                clock.Advance(TimeSpan.FromSeconds(15));
                waiting.GetAwaiter().GetResult();
            },
            options => options.TimeProvider = clock);
    }

    private static void ServerTooSlow()
    {
        var clock = new ManualTimeProvider();
        var set = new ServerSet<string>(["a"], new ServerSetOptions { TimeProvider = clock });
        _ = set.CreateAsync((_, _) => Hang<object>(), TimeSpan.FromSeconds(1)).AsTask();
        clock.Advance(TimeSpan.FromSeconds(1));
        throw set.GetStatistics()[0].LastFailure!;
    }

    private static void DestroyTooLong()
    {
        var observer = new Ends();
        With(
            new Hooks { Destroy = async () => await Hang<bool>() },
            pool =>
            {
                pool.Rent().Discard();
                throw observer.Destroyed.Task.GetAwaiter().GetResult();
            },
            options =>
            {
                options.DestroyTimeout = TimeSpan.FromMilliseconds(1);
                options.Observer = observer;
            });
    }

    private static ValueTask<TResult> Hang<TResult>() => new(new TaskCompletionSource<TResult>().Task);

    private static ValueTask<object> Fail() => throw new HttpRequestException("no server");

    private sealed class Ends : ResourcePoolObserver
    {
        public TaskCompletionSource<Exception> Destroyed { get; } = new();

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => Destroyed.TrySetResult(destroyed.Failure!);
    }

    // Only the hooks that are set exist.
    private sealed class Hooks
    {
        public Func<ValueTask<object>> Create { get; init; } = () => new ValueTask<object>(new object());

        public Func<ValueTask<bool>>? Validate { get; init; }

        public Func<ValueTask<bool>>? Reset { get; init; }

        public Func<ValueTask>? Destroy { get; init; }

        public ResourcePool<object> PoolOf(ResourcePoolOptions options) => new(
            ResourcePolicy.Create(
                _ => Create(),
                Reset is null ? null : (_, _) => Reset(),
                Validate is null ? null : (_, _) => Validate(),
                isBroken: null,
                Destroy is null ? null : _ => Destroy()),
            options);
    }

    private sealed class FullServer : ResourcePolicy<object>
    {
        public override ValueTask<object> CreateAsync(CancellationToken cancellationToken) => throw new HttpRequestException();

        protected override bool LacksRoom(Exception createFailure) => true;
    }

    private sealed class ClosedBudget : PoolBudget
    {
        public override int Limit => 1;

        protected override bool TryBegin() => false;

        protected override void Report(BudgetDemand demand)
        {
        }
    }

    private sealed class Source() : LeaseSource<object>("own")
    {
        public void BeginTwice()
        {
            var item = Add(new object());
            BeginLease(item);
            BeginLease(item);
        }

        public void BeginForeign(Source other) => BeginLease(other.Add(new object()));

        protected override void OnReturned(LeasableItem<object> item, bool isTainted)
        {
        }

        protected override void OnDiscarded(LeasableItem<object> item)
        {
        }

        protected override void OnDetached(LeasableItem<object> item)
        {
        }
    }

    private sealed class AsynchronousPolicy : ResourcePolicy<object>
    {
        public override ValueTask<object> CreateAsync(CancellationToken cancellationToken) => new(new object());
    }

    private sealed class ChildPolicy : NestedPolicy<object, object>
    {
        public override ValueTask<object> CreateAsync(object parent, CancellationToken cancellationToken) => new(new object());
    }
}
