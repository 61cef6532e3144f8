using System.Runtime.CompilerServices;

namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I29: a waiting caller is answered even if only its wait refers to the pool.</summary>
// A caller that awaits is kept alive by the object that will complete its wait, which is the pool. Unless the clock refers to the
// pool, both are garbage, and the caller is never answered. So each check keeps the clock and two signals, and nothing else.
internal static class WaitChecks
{
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan _step = TimeSpan.FromSeconds(2);

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I29", "An unreferenced caller gets an answer although all items are leased", Check(Timed, ExhaustedAsync)),
        ("I29", "An unreferenced caller gets an answer although the creation hangs", Check(Timed, EndlessCreateAsync)),
        ("I29", "An unreferenced caller gets an answer although creations fail", Check(Timed, FailingCreatesAsync)),
        ("I29", "An unreferenced caller without a deadline is served when a hanging creation is abandoned",
            Check(Unlimited, HangingCreateAsync)),
        ("I29", "An unreferenced caller without a deadline is served when a failed creation is retried",
            Check(Unlimited, RetriedAsync)),
        ("I29", "An unreferenced caller without a deadline is served when a hanging validation is abandoned",
            Check(Unlimited, HangingValidationAsync)),
        ("I29", "An unreferenced caller without a deadline is served when a hanging reset is abandoned",
            Check(Unlimited, HangingResetAsync)),
        ("I29", "An unreferenced caller without a deadline is served when a hanging destruction is abandoned",
            Check(Unlimited, HangingDestructionAsync)),
        ("I29", "An unreferenced caller without a deadline is shed when the queue stands still", Check(Shedding, ExhaustedAsync)),
        ("I29", "An unreferenced warm-up ends when a hanging creation is abandoned", Check(Unlimited, WarmUpAsync)),
        ("I29", "An unreferenced warm-up ends when a failed creation is retried", Check(Unlimited, RetriedWarmUpAsync)),
        ("I29", "An unreferenced disposal ends when a hanging destruction is abandoned", Check(Unlimited, DisposalAsync)),
        ("I29", "An unreferenced drain ends when a hanging destruction is abandoned", Check(Unlimited, DrainingAsync)),
        ("I29", "An unreferenced return that awaits its reset ends when the reset is abandoned",
            Check(Unlimited, AwaitedResetAsync)),
    ];

    private static async Task ExhaustedAsync(Call call)
    {
        var held = await call.RentAsync().ConfigureAwait(false);
        await call.ExpectRefusalAsync().ConfigureAwait(false);
        held.Dispose();
    }

    private static async Task EndlessCreateAsync(Call call)
    {
        call.Policy.Creating.Outcome = HookOutcome.Hang;
        await call.ExpectRefusalAsync().ConfigureAwait(false);
        call.Policy.Recover();
    }

    private static Task FailingCreatesAsync(Call call)
    {
        call.Policy.Creating.Outcome = HookOutcome.Fail;
        return call.ExpectRefusalAsync();
    }

    private static Task HangingCreateAsync(Call call)
    {
        call.Policy.Creating.Next(HookOutcome.HangUntilCancelled);
        return call.RentLastAsync();
    }

    private static Task RetriedAsync(Call call)
    {
        call.Policy.Creating.Next(HookOutcome.Fail, HookOutcome.Fail);
        return call.RentLastAsync();
    }

    private static async Task HangingValidationAsync(Call call)
    {
        (await call.RentAsync().ConfigureAwait(false)).Dispose();
        call.Policy.Validating.Next(HookOutcome.HangUntilCancelled);
        await call.RentLastAsync().ConfigureAwait(false);
    }

    private static async Task HangingResetAsync(Call call)
    {
        call.Policy.Resetting.Next(HookOutcome.HangUntilCancelled);
        (await call.RentAsync().ConfigureAwait(false)).Dispose();
        await call.RentLastAsync().ConfigureAwait(false);
    }

    private static async Task HangingDestructionAsync(Call call)
    {
        call.Policy.Destroying.Next(HookOutcome.Hang);
        (await call.RentAsync().ConfigureAwait(false)).Discard();
        await call.RentLastAsync().ConfigureAwait(false);
    }

    private static Task WarmUpAsync(Call call)
    {
        call.Policy.Creating.Next(HookOutcome.HangUntilCancelled);
        return call.WarmUpLastAsync();
    }

    private static async Task RetriedWarmUpAsync(Call call)
    {
        call.Policy.Creating.Next(HookOutcome.Fail);
        try
        {
            await call.Pool.WarmUpAsync(1).ConfigureAwait(false);
        }
        catch (InvalidOperationException)
        {
            // As scripted. The next attempt starts after a while.
        }

        await call.WarmUpLastAsync().ConfigureAwait(false);
    }

    private static async Task DisposalAsync(Call call)
    {
        call.Policy.Destroying.Next(HookOutcome.Hang);
        (await call.RentAsync().ConfigureAwait(false)).Dispose();
        await call.LastAsync(call.Pool.DisposeAsync().AsTask()).ConfigureAwait(false);
    }

    private static async Task DrainingAsync(Call call)
    {
        call.Policy.Destroying.Next(HookOutcome.Hang);
        (await call.RentAsync().ConfigureAwait(false)).Dispose();
        await call.LastAsync(call.Pool.DrainAsync()).ConfigureAwait(false);
    }

    private static async Task AwaitedResetAsync(Call call)
    {
        call.Policy.Resetting.Next(HookOutcome.HangUntilCancelled);
        var lease = await call.RentAsync().ConfigureAwait(false);
        await call.LastAsync(lease.DisposeAsync().AsTask()).ConfigureAwait(false);
    }

    private static void Timed(ResourcePoolOptions options)
    {
        // Advancing the time only reaches the caller's own deadline.
        options.RentTimeout = _limit;
        options.CreateTimeout = Timeout.InfiniteTimeSpan;
    }

    private static void Unlimited(ResourcePoolOptions options) => options.RentTimeout = Timeout.InfiniteTimeSpan;

    private static void Shedding(ResourcePoolOptions options)
    {
        options.RentTimeout = Timeout.InfiniteTimeSpan;
        options.Overload = new OverloadOptions { Target = TimeSpan.FromSeconds(1), Interval = TimeSpan.FromSeconds(2) };
    }

    private static Func<ContractTrial, Task> Check(Action<ResourcePoolOptions> configure, Func<Call, Task> caller) =>
        async trial =>
    {
        var (waits, ended) = await OwnThread.RunAsync(() => Begin(trial, configure, caller)).ConfigureAwait(false);
        await trial.UntilAsync(() => waits.IsCompleted || ended.IsCompleted, "the caller has to wait").ConfigureAwait(false);
        await trial.KeepOnAsync(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                trial.Clock.Advance(_step);
                return trial.TakeTurnsAsync();
            },
            () => ended.IsCompleted,
            "the caller gets an answer, however much time passes").ConfigureAwait(false);
        await ended.ConfigureAwait(false);
    };

    /// <returns>The signals of the caller, which refer to nothing else: that it waits, and that it was answered.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (Task Waits, Task Ended) Begin(
        ContractTrial trial, Action<ResourcePoolOptions> configure, Func<Call, Task> caller)
    {
        var policy = trial.ScriptUntracked(PolicyHooks.Reset | PolicyHooks.Validate);
        var pool = trial.OpenUntracked(policy, 1, options =>
        {
            options.CreateTimeout = options.ValidateTimeout = options.ResetTimeout = options.DestroyTimeout = _limit;
            options.RetryDelay = options.MaxRetryDelay = _limit;
            options.AwaitReset = true;
            configure(options);
        });
        var call = new Call(trial, pool, policy);
        _ = call.RunAsync(caller);
        return (call.Waits, call.Ended);
    }

    /// <summary>A caller to which only the object that it waits for refers.</summary>
    private sealed class Call(ContractTrial trial, ContractPool pool, ScriptedPolicy<ContractItem> policy)
    {
        private readonly TaskCompletionSource _waits = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public ContractPool Pool => pool;

        public ScriptedPolicy<ContractItem> Policy => policy;

        public Task Waits => _waits.Task;

        public Task Ended => _ended.Task;

        public Task<Lease<ContractItem>> RentAsync() => trial.RentUntrackedAsync(pool);

        /// <summary>The wait that is checked. Time advances from here on.</summary>
        public async Task LastAsync(Task wait)
        {
            _waits.SetResult();
            await wait.ConfigureAwait(false);
        }

        public async Task RentLastAsync()
        {
            var rent = RentAsync();
            await LastAsync(rent).ConfigureAwait(false);
            (await rent.ConfigureAwait(false)).Dispose();
        }

        public async Task WarmUpLastAsync()
        {
            try
            {
                await LastAsync(pool.WarmUpAsync(1)).ConfigureAwait(false);
            }
            catch (Exception failure) when (failure is TimeoutException or OperationCanceledException)
            {
                // It ends with the first abandoned creation: that is an answer.
            }
        }

        public async Task ExpectRefusalAsync()
        {
            try
            {
                await RentLastAsync().ConfigureAwait(false);
            }
            catch (Exception refusal)
                when (refusal is PoolTimeoutException or PoolUnavailableException or PoolOverloadedException)
            {
                return;
            }

            throw new ContractViolationException("The caller was served although there was no item.");
        }

#pragma warning disable CA1031 // Whatever it is, the check gets it.
        public async Task RunAsync(Func<Call, Task> caller)
        {
            try
            {
                await caller(this).ConfigureAwait(false);
                _ended.SetResult();
            }
            catch (Exception failure)
            {
                _ended.SetException(failure);
            }
        }
#pragma warning restore CA1031
    }
}
