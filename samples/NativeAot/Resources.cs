#pragma warning disable PH1001 // the rents that are refused give no lease
using System.Diagnostics;
using System.Text;
using Poolhouse.Servers;

namespace Poolhouse.Samples.NativeAot;

internal static class Resources
{
    public static async Task<string> UseAsync()
    {
        var seen = new StringBuilder();
        await BothWaysAsync(seen);
        await RefusalsAsync(seen);
        await OutagesAsync(seen);
        await KeysAsync(seen);
        await ServersAsync(seen);
        await HoldersAsync(seen);
        await SharedAsync(seen);
        await NestedAsync(seen);
        return seen.ToString();
    }

    private static async Task HoldersAsync(StringBuilder seen)
    {
        var errors = new PoolOptionErrors();
        errors.CheckRange(1, "MaxSize", 1, 10);
        errors.ThrowIfAny("options");
        var reporter = new CountingReporter();
        await using var pool = new ResourcePool<List<int>>(
            new PartPolicy(),
            new ResourcePoolOptions
            {
                MaxSize = 1,
                LabelLeases = true,
                Name = PoolNames.For(typeof(List<int>)),
                Reporter = reporter,
                Budget = new OwnBudget(),
            });
        using LeaseLabel.Scope label = LeaseLabel.Use("native");
        using var lease = await pool.RentAsync();
        IReadOnlyList<LeaseSnapshot> leases = pool.GetLeases(1);
        seen.Append(leases.Count).Append(leases[0].Label).Append(pool.Name.Length).Append(reporter.Pools);
        seen.Append(new PartPolicy().Hooks.HasFlag(ResourceHooks.Reset));

        var own = new OwnPool();
        using (own.Rent())
        {
            seen.Append(own.HasIdle);
        }

        seen.Append(own.HasIdle);
    }

    private static async Task SharedAsync(StringBuilder seen)
    {
        var options = new SharedResourcePoolOptions
        {
            Pool = new ResourcePoolOptions { MaxSize = 1 },
            Selection = SelectionStrategy.RoundRobin,
        };
        await using var pool = new SharedResourcePool<List<int>>(new PartPolicy(), options);
        using var mine = await pool.RentAsync();
        using var others = await pool.RentAsync();
        SharedResourcePoolStatistics statistics = pool.GetStatistics();
        seen.Append(ReferenceEquals(mine.Value, others.Value)).Append(statistics.Leased);
    }

    private static async Task NestedAsync(StringBuilder seen)
    {
        var options = new NestedResourcePoolOptions
        {
            ParentPool = new ResourcePoolOptions { MaxSize = 1 },
            ChildPool = new ResourcePoolOptions { MaxSize = 1 },
            MaxChildrenPerParent = NestedParentOptions.DefaultMaxChildrenPerParent,
        };
        await using var pool = new NestedResourcePool<List<int>, int[]>(new PartPolicy(), new ChildPolicy(), options);
        await using (var lease = await pool.RentAsync())
        {
            seen.Append(lease.Value.Length);
        }

        var keyed = new KeyedNestedResourcePoolOptions<string>
        {
            ParentPool = options.ParentPool,
            ChildPool = new KeyedResourcePoolOptions<string> { MaxSize = 1, Pool = options.ChildPool },
        };
        await using var pools = new KeyedNestedResourcePool<string, List<int>, int[]>(
            new PartPolicy(), static _ => new ChildPolicy(), keyed);
        await using (await pools.RentAsync("a"))
        {
            seen.Append(pools.GetChildCounts().Count);
        }
    }

    private static async Task BothWaysAsync(StringBuilder seen)
    {
        var events = new Events();
        var options = new ResourcePoolOptions
        {
            MaxSize = 1,
            Name = "parts",
            IdleOrder = IdleOrder.Fifo,
            Observer = events,
            AwaitReset = true,
            Overload = new OverloadOptions(),
        };
        await using (var pool = new ResourcePool<List<int>>(new PartPolicy(), options))
        {
            await using (var lease = await pool.RentAsync())
            {
                lease.Value.Add(1);
            }

            Block(pool, seen);
            await using (await pool.RentAsync())
            {
            }

            ResourcePoolStatistics statistics = pool.GetStatistics();
            seen.Append(statistics.Created).Append(statistics.DestroyedFor(DestroyReason.Discarded));
        }

        seen.Append(events.Given);
    }

    private static void Block(ResourcePool<List<int>> pool, StringBuilder seen)
    {
        using var lease = pool.Rent();
        seen.Append(lease.Value.Count).Append(lease.Info.Uses);
        lease.Discard();
    }

    private static async Task RefusalsAsync(StringBuilder seen)
    {
        var options = new ResourcePoolOptions { MaxSize = 1, MaxWaiters = 0 };
        await using ResourcePool<List<int>> pool =
            ResourcePool.Create(static _ => new ValueTask<List<int>>(new List<int>()), options);
        await using var lease = await pool.RentAsync();
        try
        {
            _ = await pool.RentAsync(TimeSpan.Zero);
        }
        catch (PoolTimeoutException timeout)
        {
            seen.Append(timeout.Phase == RentPhase.Return);
        }

        try
        {
            _ = await pool.RentAsync();
        }
        catch (PoolOverloadedException overloaded)
        {
            PoolStatistics statistics = ((IPoolException)overloaded).Statistics!;
            seen.Append(((ResourcePoolStatistics)statistics).Shed);
        }
    }

    private static async Task OutagesAsync(StringBuilder seen)
    {
        var options = new ResourcePoolOptions
        {
            MaxSize = 1,
            OutageTimeout = TimeSpan.Zero,
            RetryDelay = TimeSpan.FromDays(1),
            MaxRetryDelay = TimeSpan.FromDays(1),
        };
        await using var pool = ResourcePool.Create<List<int>>(static _ => throw new UnreachableException("no server"), options);
        try
        {
            _ = await pool.RentAsync();
        }
        catch (PoolUnavailableException unavailable)
        {
            PoolOutage? outage = pool.GetStatistics().Outage;
            seen.Append(ReferenceEquals(outage?.LastFailure, unavailable.InnerException));
            seen.Append(((IPoolException)unavailable).Condition == PoolCondition.Outage);
        }

        try
        {
            _ = await pool.RentAsync();
        }
        catch (PoolUnavailableException unavailable)
        {
            seen.Append(unavailable.InnerException?.Message);
        }
    }

    private static async Task KeysAsync(StringBuilder seen)
    {
        var options = new KeyedResourcePoolOptions<string> { MaxSize = 1, Pool = new ResourcePoolOptions { MaxSize = 1 } };
        await using var pool = new KeyedResourcePool<string, List<int>>(static _ => new PartPolicy(), options);
        await using (await pool.RentAsync("a"))
        {
        }

        await using (await pool.RentAsync("b"))
        {
            seen.Append(pool.KeyCount).Append(pool.GetStatistics().DestroyedFor(DestroyReason.Evicted));
        }
    }

    private static async Task ServersAsync(StringBuilder seen)
    {
        var options = new ServerSetOptions
        {
            Selection = ServerSelection.Ordered,
            RecheckDelay = TimeSpan.FromDays(1),
            MaxRecheckDelay = TimeSpan.FromDays(1),
        };
        var servers = new ServerSet<string>(["a", "b"], options);
        await using (ServerItem<string, List<int>> item = await servers.CreateAsync(
            static (server, _) => server is "b"
                ? new ValueTask<List<int>>(new List<int>())
                : throw new UnreachableException(server),
            Timeout.InfiniteTimeSpan))
        {
            seen.Append(item.Server).Append(item.ShouldFailBack());
        }

        await using (ServerItem<string, List<int>> item = await servers.CreateAsync(
            static (_, _) => new ValueTask<List<int>>(new List<int>()), Timeout.InfiniteTimeSpan, RequiredRole.Primary,
            static _ => ServerRole.Primary))
        {
            seen.Append(item.Server);
        }

        FailEverywhere(servers, seen);
        foreach (ServerStatistics<string> each in servers.GetStatistics())
        {
            seen.Append(each.Created).Append(each.Health != ServerHealth.Up);
        }
    }

    private static void FailEverywhere(ServerSet<string> servers, StringBuilder seen)
    {
        try
        {
            _ = servers.Create<List<int>>(static (server, _) => throw new UnreachableException(server), Timeout.InfiniteTimeSpan);
        }
        catch (NoServerAvailableException unavailable)
        {
            seen.Append(unavailable.Failures.Count);
        }
    }
}
