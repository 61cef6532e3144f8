using System.Collections.Concurrent;

namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I25: user code never runs on the stack of another caller or under a lock.</summary>
internal static class StackChecks
{
    // Whether this thread is inside a call that returns an item.
    [ThreadStatic]
    private static bool _returning;

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I25", "No hook runs on the stack of a caller that returns an item", HooksOffTheStackAsync),
        ("I25", "No waiter resumes on the stack of the caller that returns an item", ContinuationsOffTheStackAsync),
        ("I25", "A hook that blocks its thread blocks no other caller", BlockingHookAsync),
        ("I25", "Hooks and observers may call the pool, because no lock is held", CallingBackAsync),
        ("I25", "Exceptions of an observer are ignored", ThrowingObserverAsync),
        ("I25", "An observer is notified of creations, failures, waits, leaks and destructions", ObserverAsync),
    ];

    private static async Task HooksOffTheStackAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.Reset | PolicyHooks.ProveClean);
        var pool = trial.Open(policy, 1);
        var onStack = 0;
        foreach (var hook in new[] { policy.Creating, policy.Resetting, policy.ProvingClean, policy.Destroying })
        {
            hook.OnCall = () => onStack += _returning ? 1 : 0;
        }

        policy.ProvingClean.Outcome = HookOutcome.Refuse;
        for (var round = 0; round < 20; round++)
        {
            // A caller waits, so that a return has work to begin.
            var lease = await trial.RentAsync(pool).ConfigureAwait(false);
            var waiting = await trial.QueueAsync(pool).ConfigureAwait(false);
            if (round % 2 == 0)
            {
                lease.Taint();
            }

            Return(round % 3 == 0 ? lease.Discard : lease.Dispose);
            Return((await trial.SoonAsync(waiting, "the item").ConfigureAwait(false)).Dispose);
        }

        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(0, onStack, "Hooks that ran on the stack of a caller that returned an item");
    }

    private static async Task ContinuationsOffTheStackAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        for (var round = 0; round < 20; round++)
        {
            var waiting = await trial.QueueAsync(pool).ConfigureAwait(false);
            var onStack = waiting.ContinueWith(
                _ => _returning, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            Return(lease.Dispose);
            trial.Expect(
                !await trial.SoonAsync(onStack, "the next caller").ConfigureAwait(false),
                "A waiter resumed on the stack of the caller that returned the item.");
            lease = await waiting.ConfigureAwait(false);
        }
    }

    private static async Task BlockingHookAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 2);
        using var gate = new ManualResetEventSlim();
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        policy.Destroying.OnCall = gate.Wait;
        try
        {
            await trial.SoonAsync(OwnThread.RunAsync(lease.Discard), "the end of Discard").ConfigureAwait(false);
            await trial.UntilAsync(() => policy.Destroying.Running == 1, "the destruction begins").ConfigureAwait(false);
            (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
            (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
            trial.ExpectEqual(1, pool.GetStatistics().Destroying, "Items being destroyed");
        }
        finally
        {
            policy.Destroying.OnCall = null;
            gate.Set();
        }

        await trial.AtRestAsync(pool).ConfigureAwait(false);
    }

    private static async Task CallingBackAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.IsBroken | PolicyHooks.Validate | PolicyHooks.Reset | PolicyHooks.ProveClean);
        ContractPool? pool = null;
        var nosy = new Caller(() => pool);
        pool = trial.Open(policy, 3, options => options.Observer = nosy);
        foreach (var hook in new[]
        {
            policy.Creating,
            policy.Validating,
            policy.Resetting,
            policy.ProvingClean,
            policy.Destroying,
        })
        {
            // Some rounds only: calls that destroy items would otherwise keep the pool busy with nothing else.
            var rounds = 2;
            hook.OnCall = () =>
            {
                if (Interlocked.Decrement(ref rounds) >= 0)
                {
                    nosy.CallEverything();
                }
            };
        }

        var looks = 3;
        policy.Broken = _ =>
        {
            if (Interlocked.Decrement(ref looks) >= 0)
            {
                nosy.CallEverything();
            }

            return false;
        };
        for (var round = 0; round < 10; round++)
        {
            var lease = await trial.RentAsync(pool).ConfigureAwait(false);
            if (round % 2 == 0)
            {
                lease.Taint();
            }

            lease.Dispose();
        }

        await trial.AtRestAsync(pool).ConfigureAwait(false);

        // Two creations, two destructions and six events at least; the last observers may still run. The few calls that may
        // remain cannot clear the pool during each of these leases: one of the returns calls IsBroken.
        await trial.UntilAsync(() => nosy.Calls >= 10, "hooks and observers have called the pool").ConfigureAwait(false);
        for (var round = 0; round < 10; round++)
        {
            (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        }

        await trial.UntilAsync(() => nosy.Calls > 10, "IsBroken has called the pool").ConfigureAwait(false);
    }

    private static async Task ObserverAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var listener = new Listener();
        var pool = trial.Open(policy, 1, options =>
        {
            options.Observer = listener;
            options.LeakThreshold = TimeSpan.FromMinutes(1);
        });
        policy.Creating.Next(HookOutcome.Fail);
        var renting = trial.BeginRentAsync(pool, Timeout.InfiniteTimeSpan);
        await trial.AdvanceUntilAsync(pool, TimeSpan.FromSeconds(1), () => renting.IsCompleted, "the caller is served")
            .ConfigureAwait(false);
        var lease = await renting.ConfigureAwait(false);
        trial.Clock.Advance(TimeSpan.FromMinutes(2));
        await trial.UntilAsync(() => listener.Events.ContainsKey("leak"), "the observer is notified of a suspected leak")
            .ConfigureAwait(false);
        lease.Discard();
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        await trial.UntilAsync(() => listener.Events.Count == 5, "the observer is notified of each kind of event")
            .ConfigureAwait(false);
        trial.ExpectEqual(1, listener.Events["created"], "Creations reported to the observer");
        trial.ExpectEqual(1, listener.Events["destroyed"], "Destructions reported to the observer");
    }

    private static async Task ThrowingObserverAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.Reset);
        var pool = trial.Open(policy, 1, options => options.Observer = new Thrower());
        policy.Creating.Next(HookOutcome.Fail);
        var renting = trial.BeginRentAsync(pool, Timeout.InfiniteTimeSpan);
        await trial.AdvanceUntilAsync(pool, TimeSpan.FromSeconds(1), () => renting.IsCompleted, "the caller is served")
            .ConfigureAwait(false);
        (await renting.ConfigureAwait(false)).Discard();
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(1, pool.GetStatistics().Live, "Capacity in use");
    }

    private static void Return(Action end)
    {
        _returning = true;
        try
        {
            end();
        }
        finally
        {
            _returning = false;
        }
    }

    /// <summary>Calls every method of the pool on the calling thread.</summary>
    private sealed class Caller(Func<ContractPool?> find) : ResourcePoolObserver
    {
        private int _calls;
        private int _events = 6;

        public int Calls => Volatile.Read(ref _calls);

        public void CallEverything()
        {
            if (find() is not { } pool)
            {
                return;
            }

            // On another thread too: one that holds a lock may enter it again, others may not.
#pragma warning disable VSTHRD002 // That is the point: this call must not go on before the other has.
            OwnThread.RunAsync(() => Call(pool)).Wait();
#pragma warning restore VSTHRD002
            Call(pool);
            Interlocked.Increment(ref _calls);
        }

        public override void OnCreated(in ItemCreatedArgs created) => OnEvent();

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => OnEvent();

        public override void OnWaitEnded(in WaitEndedArgs ended) => OnEvent();

        private static void Call(ContractPool pool)
        {
            pool.GetStatistics();
            pool.Suspend();
            pool.Resume();
            pool.Resize(3);
            pool.Trim();
            pool.Clear();
            _ = pool.WarmUpAsync(0);
            if (pool.TryRent(out var lease))
            {
                lease.Dispose();
            }
        }

        private void OnEvent()
        {
            if (Interlocked.Decrement(ref _events) >= 0)
            {
                CallEverything();
            }
        }
    }

    /// <summary>Counts the events of each kind.</summary>
    private sealed class Listener : ResourcePoolObserver
    {
        public ConcurrentDictionary<string, int> Events { get; } = new(StringComparer.Ordinal);

        public override void OnCreated(in ItemCreatedArgs created) => Count("created");

        public override void OnCreateFailed(in ItemCreateFailedArgs failed) => Count("failed");

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => Count("destroyed");

        public override void OnWaitEnded(in WaitEndedArgs ended) => Count("waited");

        public override void OnLeakSuspected(in LeakSuspectedArgs suspected) => Count("leak");

        private void Count(string kind) => Events.AddOrUpdate(kind, 1, (_, times) => times + 1);
    }

    private sealed class Thrower : ResourcePoolObserver
    {
        public override void OnCreated(in ItemCreatedArgs created) => throw new InvalidOperationException("observer");

        public override void OnCreateFailed(in ItemCreateFailedArgs failed) => throw new InvalidOperationException("observer");

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => throw new InvalidOperationException("observer");

        public override void OnWaitEnded(in WaitEndedArgs ended) => throw new InvalidOperationException("observer");
    }
}
