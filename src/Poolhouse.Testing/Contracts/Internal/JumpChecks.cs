using Poolhouse.Resources.Engine;

namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>
/// I30: a jump of the clock has at most the effect of a hook that takes too long; no item is lost, leaked or destroyed twice.
/// </summary>
// A suspended machine, a stopped process and a paused container have the same effect: between two instructions of the pool, the
// clock passes every deadline and the timers fire. The checks let that happen at each moment at which the pool sets a timer:
// first a run in which the clock jumps when the first timer is set, then one with the second, until a run has no more timers to
// set.
internal static class JumpChecks
{
    private const int MostMoments = 300;

    private static readonly TimeSpan _step = TimeSpan.FromMilliseconds(500);

    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(5);

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I30", "Each item is destroyed exactly once, whenever the clock jumps past a hook's limit",
            trial => AtEachMomentAsync(trial, _limit * 2)),
        ("I30", "Each item is destroyed exactly once, whenever the clock jumps by an hour",
            trial => AtEachMomentAsync(trial, TimeSpan.FromHours(1))),
    ];

    private static async Task AtEachMomentAsync(ContractTrial trial, TimeSpan jump)
    {
        var moment = 0;
        JumpingClock clock;
        do
        {
            clock = new JumpingClock(trial.Clock, ++moment, jump);
            await LiveAsync(trial, clock, moment).ConfigureAwait(false);
        }
        while (clock.HasJumped && moment < MostMoments);
        trial.Expect(moment > 5, "The pool sets no timers on the TimeProvider of its options.");
    }

    /// <summary>The life of a pool in which every hook is called.</summary>
    private static async Task LiveAsync(ContractTrial trial, JumpingClock clock, int moment)
    {
        var policy = trial.Script(PolicyHooks.Reset | PolicyHooks.Validate | PolicyHooks.ProveClean | PolicyHooks.KeepAlive);
        var wary = new WaryPolicy(policy);
        var pool = trial.Open(wary, 2, options =>
        {
            options.TimeProvider = clock;
            options.RentTimeout = Timeout.InfiniteTimeSpan;
            options.CreateTimeout = options.ValidateTimeout = options.ResetTimeout = options.DestroyTimeout = _limit;
            options.KeepAliveInterval = TimeSpan.FromMinutes(1);
            options.IdleTimeout = TimeSpan.FromMinutes(3);
        });
        (await RentAsync().ConfigureAwait(false)).Dispose();
        await PassAsync(_limit).ConfigureAwait(false);
        var tainted = await RentAsync().ConfigureAwait(false);
        tainted.Taint();
        tainted.Dispose();
        await PassAsync(_limit).ConfigureAwait(false);
        await PassAsync(TimeSpan.FromMinutes(1.5)).ConfigureAwait(false);
        var discarded = await RentAsync().ConfigureAwait(false);
        discarded.Discard();
        await PassAsync(_limit).ConfigureAwait(false);
        (await RentAsync().ConfigureAwait(false)).Dispose();
        await PassAsync(TimeSpan.FromMinutes(4)).ConfigureAwait(false);
        (await RentAsync().ConfigureAwait(false)).Dispose();
        var disposal = pool.DisposeAsync().AsTask();
        await AnswerAsync(disposal).ConfigureAwait(false);
        var when = FormattableString.Invariant($"after a jump at moment {moment}");
        await trial.UntilAsync(() => policy.Live == 0, $"every item is destroyed {when}").ConfigureAwait(false);
        trial.ExpectEqual(0, policy.DestroyedWrongly, $"Items destroyed more than once {when}");
        trial.Expect(wary.Complaint is null, $"{wary.Complaint}, {when}.");

        async Task<Lease<ContractItem>> RentAsync()
        {
            var rent = trial.BeginRentAsync(pool);
            await AnswerAsync(rent).ConfigureAwait(false);
            return await rent.ConfigureAwait(false);
        }

        // Time advances, because abandoned work is retried after a while, but only while no hook runs, because hooks have a time
        // limit.
        Task AnswerAsync(Task answer) => trial.AdvanceUntilAsync(
            pool, _step, () => answer.IsCompleted, $"the call completes after a jump at moment {moment}");

        async Task PassAsync(TimeSpan time)
        {
            await trial.AtRestAsync(pool).ConfigureAwait(false);
            trial.Clock.Advance(time);

            await trial.AtRestAsync(pool).ConfigureAwait(false);
        }
    }

    /// <summary>Detects hooks that are called without an item.</summary>
    private sealed class WaryPolicy(ScriptedPolicy<ContractItem> policy) : ResourcePolicy<ContractItem>
    {
        public string? Complaint { get; private set; }

        public override ResourceHooks Hooks => policy.Hooks;

        public override ValueTask<ContractItem> CreateAsync(CancellationToken cancellationToken) =>
            policy.CreateAsync(cancellationToken);

        public override ContractItem Create(CancellationToken cancellationToken) => policy.Create(cancellationToken);

        public override ValueTask<bool> ValidateAsync(ContractItem item, LeaseInfo info, CancellationToken cancellationToken)
        {
            Require(item, "ValidateAsync");
            return policy.ValidateAsync(item, info, cancellationToken);
        }

        public override ValueTask<bool> ResetAsync(ContractItem item, CancellationToken cancellationToken)
        {
            Require(item, "ResetAsync");
            return policy.ResetAsync(item, cancellationToken);
        }

        public override ValueTask<bool> ProveCleanAsync(ContractItem item, CancellationToken cancellationToken)
        {
            Require(item, "ProveCleanAsync");
            return policy.ProveCleanAsync(item, cancellationToken);
        }

        public override ValueTask KeepAliveAsync(ContractItem item, CancellationToken cancellationToken)
        {
            Require(item, "KeepAliveAsync");
            return policy.KeepAliveAsync(item, cancellationToken);
        }

        public override ValueTask DestroyAsync(ContractItem item, DestroyReason reason)
        {
            Require(item, "DestroyAsync");
            return policy.DestroyAsync(item, reason);
        }

        private void Require(ContractItem? item, string hook) =>
            Complaint = item is null ? $"{hook} was called without an item" : Complaint;
    }

    /// <summary>Jumps once, as soon as timers have been set a given number of times.</summary>
    private sealed class JumpingClock(ManualTimeProvider inner, int moment, TimeSpan jump) : TimeProvider
    {
        private int _settings;

        public bool HasJumped => Volatile.Read(ref _settings) >= moment;

        public override long TimestampFrequency => inner.TimestampFrequency;

        public override long GetTimestamp() => inner.GetTimestamp();

        public override DateTimeOffset GetUtcNow() => inner.GetUtcNow();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new Timer(this, inner.CreateTimer(callback, state, dueTime, period));

        private void OnSet(TimeSpan dueTime)
        {
            if (dueTime != Timeout.InfiniteTimeSpan && Interlocked.Increment(ref _settings) == moment)
            {
                inner.Advance(jump);
            }
        }

        private sealed class Timer(JumpingClock clock, ITimer timer) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                var changed = timer.Change(dueTime, period);
                clock.OnSet(dueTime);
                return changed;
            }

            public void Dispose() => timer.Dispose();

            public ValueTask DisposeAsync() => timer.DisposeAsync();
        }
    }
}
