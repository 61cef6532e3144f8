using Poolhouse.Resources.Engine;

namespace Poolhouse.Testing;

/// <summary>
/// A policy for tests whose hooks succeed, refuse, fail, hang or finish late as the test specifies, and which counts its items.
/// </summary>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// <para>Thread safe. It never calls a member of an item.</para>
/// <code>
/// var policy = new ScriptedPolicy&lt;Session&gt;(() => new Session(), PolicyHooks.Reset);
/// await using var pool = new ResourcePool&lt;Session&gt;(policy, new ResourcePoolOptions { MaxSize = 2 });
/// policy.Creating.Next(HookOutcome.Fail, HookOutcome.Succeed);   // the first creation fails
/// policy.Resetting.Outcome = HookOutcome.Hang;                   // no reset ends before Release()
/// </code>
/// </remarks>
public sealed class ScriptedPolicy<T> : ResourcePolicy<T>
    where T : class
{
    private readonly Lock _gate = new();
    private readonly Func<T> _create;
    private readonly PolicyHooks _hooks;
    private readonly Dictionary<T, int> _destructions = new(ReferenceEqualityComparer.Instance);
    private readonly List<DestroyReason> _reasons = [];
    private int _live;
    private int _mostLive;
    private int _creating;

    /// <summary>Creates a policy whose hooks all succeed until they are configured otherwise.</summary>
    /// <param name="create">Creates an item when a creation succeeds. Thread safe.</param>
    /// <param name="hooks">The optional hooks that the policy has. None by default: the pool then uses its shortest code
    /// paths.</param>
    /// <param name="time">The clock of slow calls; null: the system's.</param>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    public ScriptedPolicy(Func<T> create, PolicyHooks hooks = PolicyHooks.None, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(create);
        _create = create;
        _hooks = hooks;
        time ??= TimeProvider.System;
        Creating = new ScriptedHook(time);
        Validating = new ScriptedHook(time);
        Resetting = new ScriptedHook(time);
        ProvingClean = new ScriptedHook(time);
        KeepingAlive = new ScriptedHook(time);
        Destroying = new ScriptedHook(time);
    }

    /// <summary>The creation of items, synchronous or not.</summary>
    public ScriptedHook Creating { get; }

    /// <summary>The validation of items that were idle. Only called with <see cref="PolicyHooks.Validate"/>.</summary>
    public ScriptedHook Validating { get; }

    /// <summary>The reset of returned items. Only called with <see cref="PolicyHooks.Reset"/>.</summary>
    public ScriptedHook Resetting { get; }

    /// <summary>The proof that a tainted item is clean. Only called with <see cref="PolicyHooks.ProveClean"/>.</summary>
    public ScriptedHook ProvingClean { get; }

    /// <summary>The keeping alive of idle items. Only called with <see cref="PolicyHooks.KeepAlive"/>.</summary>
    public ScriptedHook KeepingAlive { get; }

    /// <summary>The destruction of items.</summary>
    public ScriptedHook Destroying { get; }

    /// <summary>
    /// Determines which items are broken. Only called with <see cref="PolicyHooks.IsBroken"/>, and on the stack of callers.
    /// </summary>
    /// <value><c>null</c> by default: none.</value>
    public Func<T, bool>? Broken { get; set; }

    /// <summary>
    /// Determines which idle items the other side has closed. Only called with <see cref="PolicyHooks.IsBrokenAfterIdle"/>,
    /// and on the stack of callers.
    /// </summary>
    /// <value><c>null</c> by default: none.</value>
    public Func<T, bool>? Closed { get; set; }

    /// <summary>Called for each item whose destruction begins, for example to record it in a history.</summary>
    /// <value><c>null</c> by default. The destruction passes its exceptions on.</value>
    public Action<T>? OnDestroy { get; set; }

    /// <summary>The number of items created.</summary>
    public int Created
    {
        get
        {
            lock (_gate)
            {
                return _destructions.Count;
            }
        }
    }

    /// <summary>The number of items created and not yet passed to <see cref="DestroyAsync"/>.</summary>
    public int Live
    {
        get
        {
            lock (_gate)
            {
                return _live;
            }
        }
    }

    /// <summary>Creations that have begun and have neither created their item nor failed, including abandoned ones.</summary>
    internal int CreationsUnderWay => Volatile.Read(ref _creating);

    /// <summary>The highest <see cref="Live"/> so far.</summary>
    public int MostLive
    {
        get
        {
            lock (_gate)
            {
                return _mostLive;
            }
        }
    }

    /// <summary>The number of items passed to <see cref="DestroyAsync"/> more than once, or not created by this policy.</summary>
    /// <value>0 for a correct pool.</value>
    public int DestroyedWrongly
    {
        get
        {
            lock (_gate)
            {
                return _destructions.Values.Count(times => times > 1);
            }
        }
    }

    /// <summary>The reasons for which items were destroyed, in the order in which the destruction began.</summary>
    public IReadOnlyList<DestroyReason> DestroyReasons
    {
        get
        {
            lock (_gate)
            {
                return [.. _reasons];
            }
        }
    }

    /// <inheritdoc/>
    public override ResourceHooks Hooks => (ResourceHooks)_hooks;

    private IEnumerable<ScriptedHook> All => [Creating, Validating, Resetting, ProvingClean, KeepingAlive, Destroying];

    /// <summary>Lets every hook succeed from now on, also in calls that are planned, and lets hanging calls continue.</summary>
    public void Recover()
    {
        foreach (var hook in All)
        {
            hook.Recover();
        }
    }

    /// <summary>Returns whether an item was passed to <see cref="DestroyAsync"/>.</summary>
    /// <param name="item">The item.</param>
    /// <returns>True from the moment when its destruction begins.</returns>
    public bool IsDestroyed(T item)
    {
        lock (_gate)
        {
            return _destructions.GetValueOrDefault(item) > 0;
        }
    }

    /// <inheritdoc/>
    public override async ValueTask<T> CreateAsync(CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _creating);
        try
        {
            await Creating.RunOrThrowAsync(cancellationToken).ConfigureAwait(false);
            return Make();
        }
        finally
        {
            Interlocked.Decrement(ref _creating);
        }
    }

    /// <inheritdoc/>
    public override T Create(CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _creating);
        try
        {
#pragma warning disable VSTHRD002 // A synchronous hook blocks its thread: that is what the pool has to cope with.
            Creating.RunOrThrowAsync(cancellationToken).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
            return Make();
        }
        finally
        {
            Interlocked.Decrement(ref _creating);
        }
    }

    /// <inheritdoc/>
    public override bool IsBroken(T item) => Has(PolicyHooks.IsBroken) && Broken is { } broken && broken(item);

    /// <inheritdoc/>
    public override bool IsBrokenAfterIdle(T item) => Has(PolicyHooks.IsBrokenAfterIdle) && Closed is { } closed && closed(item);

    /// <summary>With <see cref="PolicyHooks.Reset"/> every returned item needs a reset, without it none does.</summary>
    /// <inheritdoc/>
    public override bool NeedsReset(T item) => Has(PolicyHooks.Reset);

    /// <inheritdoc/>
    public override ValueTask<bool> ValidateAsync(T item, LeaseInfo info, CancellationToken cancellationToken) =>
        Has(PolicyHooks.Validate) ? Validating.RunAsync(cancellationToken) : new(result: true);

    /// <inheritdoc/>
    public override ValueTask<bool> ResetAsync(T item, CancellationToken cancellationToken) =>
        Has(PolicyHooks.Reset) ? Resetting.RunAsync(cancellationToken) : new(result: true);

    /// <inheritdoc/>
    public override ValueTask<bool> ProveCleanAsync(T item, CancellationToken cancellationToken) =>
        Has(PolicyHooks.ProveClean) ? ProvingClean.RunAsync(cancellationToken) : new(result: false);

    /// <inheritdoc/>
    public override ValueTask KeepAliveAsync(T item, CancellationToken cancellationToken) =>
        Has(PolicyHooks.KeepAlive) ? KeepingAlive.RunOrThrowAsync(cancellationToken) : default;

    /// <inheritdoc/>
    public override ValueTask DestroyAsync(T item, DestroyReason reason)
    {
        lock (_gate)
        {
            // An item that this policy did not create counts as destroyed before, which is just as wrong.
            var times = _destructions.GetValueOrDefault(item, 1) + 1;
            _destructions[item] = times;
            _live -= times == 1 ? 1 : 0;
            _reasons.Add(reason);
        }

        OnDestroy?.Invoke(item);
        return Destroying.RunOrThrowAsync(CancellationToken.None);
    }

    /// <summary>
    /// A hook that this policy does not have returns the result of the base class, so that a wrapper with every hook changes
    /// nothing.
    /// </summary>
    private bool Has(PolicyHooks hook) => (_hooks & hook) != PolicyHooks.None;

    private T Make()
    {
        var item = _create();
        if (item is not null)
        {
            lock (_gate)
            {
                _destructions.Add(item, 0);
                _live++;
                _mostLive = Math.Max(_mostLive, _live);
            }
        }

        return item!;
    }
}
