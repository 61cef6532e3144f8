using System.Collections.Concurrent;

namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>The environment of one run of a check: a clock, policies and pools, and methods to inspect them.</summary>
internal sealed class ContractTrial(ResourcePoolContract contract)
{
    // The longest wait for a task that is still running: not every patience fits a timer.
    private static readonly TimeSpan _longestDelay = TimeSpan.FromDays(1);

    private readonly TimeSpan _patience =
        contract.Patience == Timeout.InfiniteTimeSpan ? TimeSpan.MaxValue : contract.Patience;

    // Queues, because an abandoned check may still add to them. No bags: a thread keeps what it added to one alive until the bag
    // is collected or the thread ends, and a lease keeps its pool alive, the pool the trial, and the trial the bag.
    private readonly ConcurrentQueue<ContractPool> _pools = [];
    private readonly ConcurrentQueue<ScriptedPolicy<ContractItem>> _policies = [];
    private readonly ConcurrentQueue<Lease<ContractItem>> _leases = [];
    private int _detached;
    private volatile bool _isOver;

    // When the check was last seen to run, on the system's clock.
    private long _lastStep = TimeProvider.System.GetTimestamp();

    public ManualTimeProvider Clock { get; } = new();

    public RentWay Way => contract.Way;

    public IdleOrder IdleOrder => contract.IdleOrder;

    public bool IsSynchronous => contract.Way == RentWay.Sync;

    /// <summary>Whether a violation ended the check.</summary>
    public bool IsOver => _isOver;

    /// <summary>The credentials that items are created with.</summary>
    public string Credentials { get; set; } = "first";

    // Making

    public ScriptedPolicy<ContractItem> Script(PolicyHooks hooks = PolicyHooks.None)
    {
        var policy = ScriptUntracked(hooks);
        _policies.Enqueue(policy);
        return policy;
    }

    /// <summary>A policy that only its pool refers to.</summary>
    public ScriptedPolicy<ContractItem> ScriptUntracked(PolicyHooks hooks)
    {
        hooks |= contract.CreatesSynchronously ? PolicyHooks.Create : PolicyHooks.None;
        return new ScriptedPolicy<ContractItem>(() => new ContractItem(Credentials), hooks, Clock);
    }

    /// <summary>A pool in which time alone has no effect, unless the check configures one.</summary>
    public ContractPool Open(ResourcePolicy<ContractItem> policy, int maxSize, Action<ResourcePoolOptions>? configure = null)
    {
        var pool = OpenUntracked(policy, maxSize, configure);
        _pools.Enqueue(pool);
        return pool;
    }

    /// <summary>As <see cref="Open"/>, but the pool is not disposed.</summary>
    public ContractPool OpenUntracked(ResourcePolicy<ContractItem> policy, int maxSize, Action<ResourcePoolOptions>? configure)
    {
        var options = new ResourcePoolOptions
        {
            MaxSize = maxSize,
            Name = "contract",
            TimeProvider = Clock,
            IdleOrder = contract.IdleOrder,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            ValidateAfterIdle = TimeSpan.Zero,
            LifetimeJitter = 0,

            // Unless a check is about it: how long callers wait.
            OutageTimeout = Timeout.InfiniteTimeSpan,
        };
        configure?.Invoke(options);
        return contract.CreatePool(policy, options);
    }

    // Renting

    /// <summary>Begins a rent in the way under test.</summary>
    public Task<Lease<ContractItem>> BeginRentAsync(
        ContractPool pool, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        NoteAsync(() => contract.RentAsync(pool, timeout, cancellationToken));

    /// <summary>Begins a rent in the way under test, of which the trial keeps nothing.</summary>
    public Task<Lease<ContractItem>> RentUntrackedAsync(ContractPool pool) =>
        contract.RentAsync(pool, timeout: null, CancellationToken.None);

    /// <summary>Rents; it must not take long.</summary>
    public Task<Lease<ContractItem>> RentAsync(ContractPool pool) => SoonAsync(BeginRentAsync(pool), "a lease");

    public async Task<Lease<ContractItem>[]> RentManyAsync(ContractPool pool, int count)
    {
        var leases = new Lease<ContractItem>[count];
        for (var i = 0; i < count; i++)
        {
            leases[i] = await RentAsync(pool).ConfigureAwait(false);
        }

        return leases;
    }

    /// <summary>Starts a rent that must wait, and returns when it is in the queue.</summary>
    public async Task<Task<Lease<ContractItem>>> QueueAsync(
        ContractPool pool, TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        var before = pool.GetStatistics().Waiting;
        var renting = BeginRentAsync(pool, timeout, cancellationToken);
        await UntilAsync(() => pool.GetStatistics().Waiting > before || renting.IsCompleted, "the caller queues")
            .ConfigureAwait(false);
        Expect(!renting.IsCompleted, "A caller should have had to wait, but its rent ended at once.");
        return renting;
    }

    /// <summary>As <see cref="QueueAsync"/>, in the other of the two ways to wait.</summary>
    public async Task<Task<Lease<ContractItem>>> QueueOtherwiseAsync(ContractPool pool)
    {
        var before = pool.GetStatistics().Waiting;
        var renting = NoteAsync(() => IsSynchronous
            ? pool.RentAsync(timeout: null, default).AsTask()
            : OwnThread.RunAsync(() => pool.Rent(timeout: null, default)));
        await UntilAsync(() => pool.GetStatistics().Waiting > before, "the caller queues").ConfigureAwait(false);
        return renting;
    }

    public ContractItem Detach(Lease<ContractItem> lease)
    {
        _detached++;
        return lease.Detach();
    }

    // Looking

#pragma warning disable CA1822 // Called like the others.
    public void Expect(bool holds, string otherwise)
#pragma warning restore CA1822
    {
        if (!holds)
        {
            throw new ContractViolationException(otherwise);
        }
    }

    public void ExpectEqual<TValue>(TValue expected, TValue actual, string what) => Expect(
        EqualityComparer<TValue>.Default.Equals(expected, actual),
        FormattableString.Invariant($"{what}: expected {expected}, but it is {actual}."));

    /// <summary>Waits for something that must happen although the clock does not advance.</summary>
    public async Task UntilAsync(Func<bool> condition, string what)
    {
        var started = TimeProvider.System.GetTimestamp();
        for (var round = 0; !condition(); round++)
        {
            NoteStep(started, $"Expected, but not observed: {what}.");

            // Fires timers that became due between the last inspection of the pool and the last advance.
            Clock.Advance(TimeSpan.Zero);
            if (round < 200)
            {
                // Most waits are shorter than the shortest delay: the other thread is just starting, or needs this core.
                Thread.Yield();
                await Task.Yield();
            }
            else
            {
                await Task.Delay(TimeSpan.FromMilliseconds(1), TimeProvider.System).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Waits for a task that must complete although the clock does not advance.</summary>
    public async Task<TResult> SoonAsync<TResult>(Task<TResult> task, string what)
    {
        await UntilAsync(() => task.IsCompleted, $"{what} came").ConfigureAwait(false);
        return await task.ConfigureAwait(false);
    }

    public async Task SoonAsync(Task task, string what)
    {
        await UntilAsync(() => task.IsCompleted, $"{what} came").ConfigureAwait(false);
        await task.ConfigureAwait(false);
    }

    /// <summary>Waits for a task that must fail although the clock does not advance.</summary>
    public async Task<TException> SoonThrowsAsync<TException>(Task task)
        where TException : Exception
    {
        await UntilAsync(() => task.IsCompleted, $"{typeof(TException).Name} was thrown").ConfigureAwait(false);
        try
        {
            await task.ConfigureAwait(false);
        }
        catch (TException expected)
        {
            return expected;
        }
#pragma warning disable CA1031 // Any other exception is the violation.
        catch (Exception other)
#pragma warning restore CA1031
        {
            throw new ContractViolationException(
                $"Expected {typeof(TException).Name}, but {other.GetType().Name} was thrown.", other);
        }

        throw new ContractViolationException($"Expected {typeof(TException).Name}, but nothing was thrown.");
    }

    /// <summary>Waits until no operation is in progress in the pool, including operations that were about to begin.</summary>
    public async Task AtRestAsync(ContractPool pool)
    {
        await UntilAsync(() => IsAtRest(pool), "the pool comes to rest").ConfigureAwait(false);
        await TakeTurnsAsync().ConfigureAwait(false);
        await UntilAsync(() => IsAtRest(pool), "the pool stays at rest").ConfigureAwait(false);
    }

    /// <summary>
    /// Advances the time step by step until a condition holds. Before each step, the work of the previous one has ended.
    /// </summary>
    public async Task AdvanceUntilAsync(ContractPool pool, TimeSpan step, Func<bool> condition, string what)
    {
        var started = TimeProvider.System.GetTimestamp();
        while (!condition())
        {
            NoteStep(started, $"Expected, but not observed however much time passed: {what}.");
            Clock.Advance(step);
            await UntilAsync(() => condition() || IsAtRest(pool), $"{what}, or the pool comes to rest").ConfigureAwait(false);
            await TakeTurnsAsync().ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Lets background work run for a moment before checking for what must not happen: a wrong pool then fails more reliably,
    /// and a right one never.
    /// </summary>
#pragma warning disable CA1822 // Called like the others.
    public async Task SettleAsync()
    {
        await TakeTurnsAsync().ConfigureAwait(false);
        await Task.Delay(TimeSpan.FromMilliseconds(1), TimeProvider.System).ConfigureAwait(false);
    }

    /// <summary>
    /// Lets queued work begin, and the work that it queues in turn: the thread pool runs it in the order of arrival.
    /// </summary>
    public async Task TakeTurnsAsync()
    {
        for (var i = 0; i < 10; i++)
        {
            await Task.Yield();
        }
    }
#pragma warning restore CA1822

    /// <summary>As <see cref="UntilAsync"/>, for something that the check itself brings about bit by bit.</summary>
    public async Task KeepOnAsync(Func<Task> step, Func<bool> condition, string what)
    {
        var started = TimeProvider.System.GetTimestamp();
        while (!condition())
        {
            NoteStep(started, $"Expected, but not observed: {what}.");
            await step().ConfigureAwait(false);
        }
    }

    // Ending

    /// <summary>
    /// Runs a check, and abandons it when a call into the pool does not return, which no wait inside the check could end.
    /// </summary>
    public async Task RunAsync(Func<ContractTrial, Task> check)
    {
        var running = Task.Run(async () =>
        {
            await check(this).ConfigureAwait(false);
            await EndAsync().ConfigureAwait(false);
        });
        while (!running.IsCompleted)
        {
            var left = _patience - TimeProvider.System.GetElapsedTime(Volatile.Read(ref _lastStep));
            if (left <= TimeSpan.Zero)
            {
                throw new ContractViolationException("A call into the pool does not return.");
            }

            var delay = left < _longestDelay ? left : _longestDelay;
            await Task.WhenAny(running, Task.Delay(delay, TimeProvider.System)).ConfigureAwait(false);
        }

        await running.ConfigureAwait(false);
    }

    /// <summary>Ends everything, and checks that each created item is destroyed exactly once (I14).</summary>
    public async Task EndAsync()
    {
        foreach (var policy in _policies)
        {
            policy.Broken = null;
            policy.Recover();
        }

        foreach (var lease in _leases)
        {
            lease.Dispose();
        }

        foreach (var pool in _pools)
        {
            await SoonAsync(pool.DisposeAsync().AsTask(), "the end of the pool's disposal").ConfigureAwait(false);
        }

        // An abandoned creation that was released above may create its item only now.
        await UntilAsync(
            () => _policies.All(policy => policy.CreationsUnderWay == 0) && _policies.Sum(policy => policy.Live) <= _detached,
            "every item is destroyed after the pool").ConfigureAwait(false);
        ExpectEqual(_detached, _policies.Sum(policy => policy.Live), "Items alive after the end of the pool");
        ExpectEqual(0, _policies.Sum(policy => policy.DestroyedWrongly), "Items destroyed more than once");
    }

    /// <summary>
    /// After a violation: ends what the check began, without checking. Nothing may continue to spin, block or grow for the rest
    /// of the process.
    /// </summary>
    public void Abandon()
    {
        _isOver = true;
        foreach (var policy in _policies)
        {
            policy.Recover();
        }

        foreach (var pool in _pools)
        {
            // The disposal of a wrong pool may block or throw.
            _ = OwnThread.RunAsync(() => pool.DisposeAsync().AsTask());
        }
    }

    /// <summary>Whether no operation was in progress when these were read.</summary>
    public static bool IsAtRest(ResourcePoolStatistics statistics) =>
        statistics is { Creating: 0, Validating: 0, Resetting: 0, Destroying: 0 };

    /// <summary>Whether the check, which is waiting, may continue.</summary>
    private void NoteStep(long waitsSince, string otherwise)
    {
        Expect(!_isOver, "The check is over.");
        Expect(TimeProvider.System.GetElapsedTime(waitsSince) < _patience, otherwise);
        Volatile.Write(ref _lastStep, TimeProvider.System.GetTimestamp());
    }

    private static bool IsAtRest(ContractPool pool) => IsAtRest(pool.GetStatistics());

    private async Task<Lease<ContractItem>> NoteAsync(Func<Task<Lease<ContractItem>>> rent)
    {
        Expect(!_isOver, "The check is over.");
        var lease = await rent().ConfigureAwait(false);
        if (_isOver)
        {
            lease.Dispose();
            throw new ContractViolationException("The check is over.");
        }

        _leases.Enqueue(lease);
        return lease;
    }
}
