using System.Runtime.CompilerServices;

namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I24 and I26: the memory that a rent allocates, and the objects that the pool keeps alive.</summary>
internal static class MemoryChecks
{
    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I24", "Renting and returning an idle item allocates nothing", NoAllocationAsync),
        ("I26", "No hook sees the ExecutionContext of a caller", NoFlowAsync),
        ("I26", "The pool keeps no object of a caller's ExecutionContext alive", ContextCollectedAsync),
        ("I26", "The pool keeps no destroyed or detached item alive, although its lease is referenced", ItemCollectedAsync),
        ("I26", "A pool dropped without disposal can be collected", PoolCollectedAsync),
    ];

    private static async Task NoAllocationAsync(ContractTrial trial)
    {
        // A wrapper around the policy has every hook: validation is due only later.
        var pool = trial.Open(trial.Script(), 2, options => options.ValidateAfterIdle = TimeSpan.FromMinutes(1));
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        var allocated = await OwnThread.RunAsync(() =>
        {
            Use(trial.Way, pool, 2_000);
            var before = GC.GetAllocatedBytesForCurrentThread();
            Use(trial.Way, pool, 1_000);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }).ConfigureAwait(false);
        trial.ExpectEqual(0L, allocated, "Bytes allocated by 1,000 rents");
    }

    private static void Use(RentWay way, ContractPool pool, int times)
    {
        for (var i = 0; i < times; i++)
        {
            Lease<ContractItem> lease;
            switch (way)
            {
                case RentWay.Sync:
                    lease = pool.Rent(timeout: null, CancellationToken.None);
                    break;
                case RentWay.TryFirst:
                    if (!pool.TryRent(out lease))
                    {
                        throw new ContractViolationException("An idle item was not rented at once.");
                    }

                    break;
                default:
                    var renting = pool.RentAsync(timeout: null, CancellationToken.None);
#pragma warning disable VSTHRD002 // It has completed.
                    lease = renting.IsCompletedSuccessfully
                        ? renting.Result
                        : throw new ContractViolationException("An idle item was not rented at once.");
#pragma warning restore VSTHRD002
                    break;
            }

            lease.Dispose();
        }
    }

    private static async Task NoFlowAsync(ContractTrial trial)
    {
        var local = new AsyncLocal<string?>();
        var seen = 0;
        var policy = trial.Script(PolicyHooks.Reset | PolicyHooks.Validate | PolicyHooks.KeepAlive);
        foreach (var hook in new[]
        {
            policy.Creating,
            policy.Validating,
            policy.Resetting,
            policy.KeepingAlive,
            policy.Destroying,
        })
        {
            hook.OnCall = () => Interlocked.Add(ref seen, local.Value is null ? 0 : 1);
        }

        local.Value = "the caller's own";
        var pool = trial.Open(policy, 1, options =>
        {
            options.MinIdle = 1;
            options.KeepAliveInterval = TimeSpan.FromMinutes(1);
        });
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        (await trial.RentAsync(pool).ConfigureAwait(false)).Discard();
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        await trial.AdvanceUntilAsync(
            pool, TimeSpan.FromSeconds(10), () => policy.KeepingAlive.Calls > 0, "an idle item is kept alive")
                .ConfigureAwait(false);
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(0, seen, "Hooks that saw the context of a caller");
    }

    private static async Task ContextCollectedAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        var kept = await OwnThread.RunAsync(() => UseWithContext(pool)).ConfigureAwait(false);
        await ExpectCollectedAsync(trial, kept, "what the caller's ExecutionContext held").ConfigureAwait(false);
        GC.KeepAlive(pool);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference UseWithContext(ContractPool pool)
    {
        var local = new AsyncLocal<object?> { Value = new object() };
        var kept = new WeakReference(local.Value);
#pragma warning disable VSTHRD002 // On a thread of its own.
        var lease = pool.RentAsync(timeout: null, default).AsTask().Result;
        var waiting = pool.RentAsync(timeout: null, default).AsTask();
        using var cancellation = new CancellationTokenSource();
        var cancelled = pool.RentAsync(timeout: null, cancellation.Token).AsTask();
        cancellation.Cancel();
        ((IAsyncResult)cancelled).AsyncWaitHandle.WaitOne();
        lease.Dispose();
        waiting.Result.Discard();
#pragma warning restore VSTHRD002
        local.Value = null;
        return kept;
    }

    private static async Task ItemCollectedAsync(ContractTrial trial)
    {
        var pool = trial.Open(new ForgetfulPolicy(), 2);
        var (leases, items) = await OwnThread.RunAsync(() => RentAndEnd(pool)).ConfigureAwait(false);
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        foreach (var item in items)
        {
            await ExpectCollectedAsync(trial, item, "an item that the pool has released").ConfigureAwait(false);
        }

        GC.KeepAlive(leases);
        GC.KeepAlive(pool);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (Lease<ContractItem>[] Leases, WeakReference[] Items) RentAndEnd(ContractPool pool)
    {
        Lease<ContractItem>[] leases = [pool.Rent(timeout: null, default), pool.Rent(timeout: null, default)];
        WeakReference[] items = [new(leases[0].Value), new(leases[1].Value)];
        leases[0].Discard();
        leases[1].Detach();
        return (leases, items);
    }

    private static async Task PoolCollectedAsync(ContractTrial trial)
    {
        var policy = await OwnThread.RunAsync(() => UseAndDrop(trial)).ConfigureAwait(false);
        await ExpectCollectedAsync(trial, policy, "a dropped pool").ConfigureAwait(false);
    }

    /// <returns>The policy: a reference to the pool keeps it alive too, also through a wrapper.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference UseAndDrop(ContractTrial trial)
    {
        var policy = new ForgetfulPolicy();
        var pool = trial.OpenUntracked(policy, 1, options =>
        {
            options.MinIdle = 1;
            options.IdleTimeout = TimeSpan.FromMinutes(1);
        });
        pool.Rent(timeout: null, default).Dispose();
        return new WeakReference(policy);
    }

    private static Task ExpectCollectedAsync(ContractTrial trial, WeakReference kept, string what) => trial.KeepOnAsync(
        () =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return trial.TakeTurnsAsync();
        },
        () => !kept.IsAlive,
        $"the garbage collector collects {what}");

    /// <summary>Records nothing, so that it keeps no items alive.</summary>
    private sealed class ForgetfulPolicy : ResourcePolicy<ContractItem>
    {
        public override ValueTask<ContractItem> CreateAsync(CancellationToken cancellationToken) =>
            new(new ContractItem("first"));
    }
}
