using Poolhouse.Testing.Contracts.Internal;

namespace Poolhouse.Testing;

/// <summary>The promises that every bounded resource pool keeps, as checks that any test framework can run.</summary>
/// <remarks>
/// <para>
/// Derive from it, implement the creation of a pool, and run each check as one test. Checks are independent and may run
/// concurrently. The contract is for a <see cref="ResourcePool{T}"/> with a wrapped policy, for a class that rents from one, and
/// for a pool of your own that derives from <see cref="LeaseSource{T}"/>: adapt it by a <see cref="ContractPool"/>, and run the
/// checks of the promises that it makes.
/// </para>
/// <code>
/// sealed class MyContract : ResourcePoolContract
/// {
///     protected override ContractPool CreatePool(ResourcePolicy&lt;ContractItem&gt; policy, ResourcePoolOptions options) =>
///         ContractPool.Over(new ResourcePool&lt;ContractItem&gt;(new MyRetries&lt;ContractItem&gt;(policy), options));
/// }
///
/// // with xunit, for example
/// public static TheoryData&lt;string&gt; Names => [.. new MyContract().Checks.Select(check => check.Name)];
///
/// [Theory, MemberData(nameof(Names))]
/// public Task Keeps(string name) => new MyContract().Checks.Single(check => check.Name == name).RunAsync();
/// </code>
/// <para>
/// The options contain a <see cref="ManualTimeProvider"/>, in which time stands still: a pool that uses another clock fails. The
/// real clock is used only for the time limit <see cref="Patience"/>. Run the checks of memory (I24, I26) alone.
/// </para>
/// </remarks>
public abstract class ResourcePoolContract
{
    /// <summary>How the checks rent.</summary>
    /// <value><see cref="RentWay.Async"/> by default.</value>
    public RentWay Way { get; init; }

    /// <summary>The order of the idle items in the pools that the checks create.</summary>
    /// <value><see cref="IdleOrder.Lifo"/> by default.</value>
    public IdleOrder IdleOrder { get; init; }

    /// <summary>
    /// Whether the policies of the checks have a synchronous <see cref="ResourcePolicy{T}.Create"/>, which synchronous rents then
    /// use.
    /// </summary>
    /// <value>False by default.</value>
    public bool CreatesSynchronously { get; init; }

    /// <summary>How long, in real time, a check waits for an expected event before it reports a violation.</summary>
    /// <value>
    /// 30 seconds by default; more than zero, or <see cref="Timeout.InfiniteTimeSpan"/> for no limit, as while debugging. Only a
    /// violation takes that long.
    /// </value>
    /// <exception cref="ArgumentOutOfRangeException">The value is zero or negative.</exception>
    public TimeSpan Patience
    {
        get;
        init
        {
            if (value != Timeout.InfiniteTimeSpan)
            {
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            }

            field = value;
        }
    } = TimeSpan.FromSeconds(30);

    /// <summary>The checks, in the order of the promises.</summary>
    /// <value>The same names at every call; new objects.</value>
    public IReadOnlyList<ContractCheck> Checks =>
    [
        .. Collect(OwnershipChecks.All),
        .. Collect(QueueChecks.All),
        .. Collect(GiveUpChecks.All),
        .. Collect(InterruptChecks.All),
        .. Collect(ReuseChecks.All),
        .. Collect(FaultChecks.All),
        .. Collect(LeaseChecks.All),
        .. Collect(LeaseListChecks.All),
        .. Collect(DisposalChecks.All),
        .. Collect(OutageChecks.All),
        .. Collect(UpkeepChecks.All),
        .. Collect(StackChecks.All),
        .. Collect(MemoryChecks.All),
        .. Collect(SecretChecks.All),
        .. Collect(WaitChecks.All),
        .. Collect(JumpChecks.All),
    ];

    /// <summary>Creates the pool for a check.</summary>
    /// <param name="policy">The policy that its items must come from. It may be wrapped.</param>
    /// <param name="options">The settings, including the clock.</param>
    /// <returns>The pool. The check disposes it.</returns>
    protected internal abstract ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options);

    /// <summary>Rents in the way of this contract. Override it to rent in another way.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="timeout">How long the caller waits at most; null for the timeout in the options.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The lease. This method itself must not block.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    protected internal virtual Task<Lease<ContractItem>> RentAsync(
        ContractPool pool, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(pool);
        return Way switch
        {
            RentWay.Sync => OwnThread.RunAsync(() => pool.Rent(timeout, cancellationToken)),
            RentWay.TryFirst when pool.TryRent(out var lease) => Task.FromResult(lease),
            _ => pool.RentAsync(timeout, cancellationToken).AsTask(),
        };
    }

    private IEnumerable<ContractCheck> Collect(
        IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> checks) =>
        checks.Select(check => new ContractCheck(this, check.Promise, check.Name, check.Run));
}
