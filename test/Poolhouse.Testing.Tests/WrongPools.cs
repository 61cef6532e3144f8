using Poolhouse.Resources;

namespace Poolhouse.Testing.Tests;

/// <summary>The contract must fail for a pool that breaks it: each wrong pool is caught by the check that it breaks.</summary>
public sealed class WrongPools
{
    [Theory]
    [InlineData(Fault.SharesItems, "An item has one owner at a time")]
    [InlineData(Fault.IgnoresBound, "A place is taken from the moment when its creation begins until its item is gone")]
    [InlineData(Fault.ForgetsTimeouts, "A caller's time is up at its deadline although all items are leased")]
    [InlineData(Fault.ForgetsCancellation, "A cancelled caller is answered at once although all items are leased")]
    [InlineData(Fault.AcceptsForeignLeases, "A lease of another pool is rejected")]
    [InlineData(Fault.NeverDisposes, "A lease survives the disposal of the pool")]
    [InlineData(Fault.NeverClears, "After Clear nobody gets an item made from the old credentials")]
    [InlineData(Fault.NeverResumes, "A resumed pool serves all who waited")]
    [InlineData(Fault.NeverShrinks, "A smaller bound is reached as items become idle, and leases go on")]
    [InlineData(Fault.LooksAtItems, "The pool never asks an item for its text")]
    [InlineData(Fault.Allocates, "Renting and returning an idle item allocates nothing")]
    [InlineData(Fault.SkipsReset, "A reset that fails costs the item and not its place")]
    [InlineData(Fault.ForgetsCallers, "A forgotten caller is answered although all items are leased")]
    [InlineData(Fault.ForgetsCallers, "A forgotten caller without a deadline is served when a failed creation is retried")]
    [InlineData(Fault.ForgetsCallers, "A forgotten disposal ends when a hanging destruction is given up")]
    public async Task Are_caught(Fault fault, string check)
    {
        var contract = new WrongContract(fault) { Patience = TimeSpan.FromSeconds(1) };

        var violation = await Assert.ThrowsAsync<ContractViolationException>(
            () => contract.Checks.Single(one => string.Equals(one.Name, check, StringComparison.Ordinal)).RunAsync());
        Assert.Contains(check, violation.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Names_of_checks_are_unique_and_promises_are_numbered()
    {
        var checks = new WrongContract(Fault.None).Checks;

        Assert.Equal(checks.Count, checks.Select(check => check.Name).Distinct(StringComparer.Ordinal).Count());
        Assert.All(checks, check => Assert.Matches("^I[0-9]+$", check.Promise));
    }

    public enum Fault
    {
        None,
        SharesItems,
        IgnoresBound,
        ForgetsTimeouts,
        ForgetsCancellation,
        AcceptsForeignLeases,
        NeverDisposes,
        NeverClears,
        NeverResumes,
        NeverShrinks,
        LooksAtItems,
        Allocates,
        SkipsReset,
        ForgetsCallers,
    }

    private sealed class WrongContract(Fault fault) : ResourcePoolContract
    {
        protected override ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options)
        {
            options.MaxSize += fault == Fault.IgnoresBound ? 1 : 0;
            options.TimeProvider = fault == Fault.ForgetsCallers ? new ForgetfulClock(options.TimeProvider) : options.TimeProvider;
            var wrapped = fault switch
            {
                Fault.SharesItems => new OneForAll(policy),
                Fault.SkipsReset => new Plain(policy),
                _ => policy,
            };
            return new WrongPool(fault, ContractPool.Over(new ResourcePool<ContractItem>(wrapped, options)));
        }
    }

    /// <summary>Refers to what its timers call only weakly, so that it keeps no pool alive.</summary>
    private sealed class ForgetfulClock(TimeProvider inner) : TimeProvider
    {
        public override long TimestampFrequency => inner.TimestampFrequency;

        public override long GetTimestamp() => inner.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            var known = new WeakReference(state);
            return new Timer(inner.CreateTimer(Call, null, dueTime, period), state);

            void Call(object? none)
            {
                if (known.Target is { } living)
                {
                    callback(living);
                }
            }
        }

        private sealed class Timer(ITimer timer, object? state) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                GC.KeepAlive(state);
                return timer.Change(dueTime, period);
            }

            public void Dispose() => timer.Dispose();

            public ValueTask DisposeAsync() => timer.DisposeAsync();
        }
    }

    /// <summary>Gives the same item to everybody.</summary>
    private sealed class OneForAll(ResourcePolicy<ContractItem> policy) : ResourcePolicy<ContractItem>
    {
        private readonly Lock _gate = new();
        private Task<ContractItem>? _first;

        public override ValueTask<ContractItem> CreateAsync(CancellationToken cancellationToken)
        {
            lock (_gate)
            {
                return new(_first ??= policy.CreateAsync(cancellationToken).AsTask());
            }
        }
    }

    /// <summary>A wrapper that forgets the hooks of what it wraps.</summary>
    private sealed class Plain(ResourcePolicy<ContractItem> policy) : ResourcePolicy<ContractItem>
    {
        public override ValueTask<ContractItem> CreateAsync(CancellationToken cancellationToken) => policy.CreateAsync(cancellationToken);

        public override ValueTask DestroyAsync(ContractItem item, DestroyReason reason) => policy.DestroyAsync(item, reason);
    }

    private sealed class WrongPool(Fault fault, ContractPool pool) : ContractPool
    {
        public override ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken)
        {
            GC.KeepAlive(fault == Fault.Allocates ? new object() : null);
            var renting = pool.RentAsync(
                fault == Fault.ForgetsTimeouts ? Timeout.InfiniteTimeSpan : timeout,
                fault == Fault.ForgetsCancellation ? default : cancellationToken);
            if (fault == Fault.LooksAtItems && renting.IsCompletedSuccessfully)
            {
                var lease = renting.Result;
                lease.Value.ToString();
                return new(lease);
            }

            return fault == Fault.LooksAtItems ? LookAsync(renting) : renting;
        }

        public override Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken) => pool.Rent(timeout, cancellationToken);

        public override bool TryRent(out Lease<ContractItem> lease) => pool.TryRent(out lease);

        public override ResourcePoolStatistics GetStatistics() => pool.GetStatistics();

        public override void Invalidate(Lease<ContractItem> lease)
        {
            if (fault != Fault.AcceptsForeignLeases)
            {
                pool.Invalidate(lease);
            }
        }

        public override Task WarmUpAsync(int count) => pool.WarmUpAsync(count);

        public override void Resize(int maxSize)
        {
            if (fault != Fault.NeverShrinks)
            {
                pool.Resize(maxSize);
            }
        }

        public override void Clear()
        {
            if (fault != Fault.NeverClears)
            {
                pool.Clear();
            }
        }

        public override int Trim() => pool.Trim();

        public override void Suspend() => pool.Suspend();

        public override void Resume()
        {
            if (fault != Fault.NeverResumes)
            {
                pool.Resume();
            }
        }

        public override Task DrainAsync() => pool.DrainAsync();

        public override ValueTask DisposeAsync() => fault == Fault.NeverDisposes ? default : pool.DisposeAsync();

        private static async ValueTask<Lease<ContractItem>> LookAsync(ValueTask<Lease<ContractItem>> renting)
        {
            var lease = await renting;
            lease.Value.ToString();
            return lease;
        }
    }
}
