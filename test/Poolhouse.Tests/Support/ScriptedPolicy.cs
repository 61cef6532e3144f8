using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Tests;

/// <summary>A policy whose hooks are set by the test; a hook that is not set does not exist for the pool.</summary>
internal sealed class ScriptedPolicy : ResourcePolicy<Part>
{
    private readonly Lock _gate = new();
    private readonly List<Part> _created = [];
    private readonly List<(Part Part, DestroyReason Reason)> _destroyed = [];

    public Func<CancellationToken, ValueTask<Part>>? Creates { get; set; }

    public Func<CancellationToken, Part>? CreatesSynchronously { get; set; }

    public Func<Part, bool>? IsBrokenHook { get; set; }

    public Func<Part, bool>? IsBrokenAfterIdleHook { get; set; }

    public Func<Part, LeaseInfo, CancellationToken, ValueTask<bool>>? Validates { get; set; }

    public Func<Part, CancellationToken, ValueTask<bool>>? Resets { get; set; }

    public Func<Part, Part>? Renews { get; set; }

    public Func<Exception, bool>? IsPermanentHook { get; set; }

    public Func<Exception, bool>? LacksRoomHook { get; set; }

    public Func<Part, bool>? NeedsResetHook { get; set; }

    public Func<Part, CancellationToken, ValueTask<bool>>? ProvesClean { get; set; }

    public Func<Part, CancellationToken, ValueTask>? KeepsAlive { get; set; }

    public Func<Part, bool>? Expires { get; set; }

    public Action<Part>? ValidationAbandoned { get; set; }

    public Func<Part, DestroyReason, ValueTask>? Destroys { get; set; }

    public Action? CreateAbandoned { get; set; }

    /// <summary>The items that <see cref="New"/> created.</summary>
    public IReadOnlyList<Part> Created
    {
        get
        {
            lock (_gate)
            {
                return [.. _created];
            }
        }
    }

    /// <summary>The items for which the pool called DestroyAsync, in order.</summary>
    public IReadOnlyList<(Part Part, DestroyReason Reason)> Destroyed
    {
        get
        {
            lock (_gate)
            {
                return [.. _destroyed];
            }
        }
    }

    public override ResourceHooks Hooks =>
        Flag(CreatesSynchronously, ResourceHooks.Create) | Flag(IsBrokenHook, ResourceHooks.IsBroken) |
        Flag(Validates, ResourceHooks.Validate) | Flag(Resets, ResourceHooks.Reset) |
        Flag(ProvesClean, ResourceHooks.ProveClean) | Flag(KeepsAlive, ResourceHooks.KeepAlive) |
        Flag(NeedsResetHook, ResourceHooks.NeedsReset) | Flag(IsBrokenAfterIdleHook, ResourceHooks.IsBrokenAfterIdle);

    /// <summary>The next item, numbered from 1.</summary>
    public Part New()
    {
        lock (_gate)
        {
            var part = new Part(_created.Count + 1);
            _created.Add(part);
            return part;
        }
    }

    public override ValueTask<Part> CreateAsync(CancellationToken cancellationToken) =>
        Creates is null ? new ValueTask<Part>(New()) : Creates(cancellationToken);

    public override Part Create(CancellationToken cancellationToken) => CreatesSynchronously!(cancellationToken);

    protected internal override void OnValidationAbandoned(Part item) => ValidationAbandoned?.Invoke(item);

    internal override ValueTask<Part> CreateTrackedAsync(ResourceCreation creation, CancellationToken cancellationToken)
    {
        creation.Hold(() => CreateAbandoned?.Invoke());
        return CreateAsync(cancellationToken);
    }

    public override bool IsBroken(Part item) => IsBrokenHook!(item);

    public override bool IsExpired(Part item) => Expires?.Invoke(item) ?? false;

    public override bool IsBrokenAfterIdle(Part item) => IsBrokenAfterIdleHook!(item);

    public override ValueTask<bool> ValidateAsync(Part item, LeaseInfo info, CancellationToken cancellationToken) =>
        Validates!(item, info, cancellationToken);

    public override bool IsPermanent(Exception createFailure) => IsPermanentHook?.Invoke(createFailure) ?? false;

    protected internal override bool LacksRoom(Exception createFailure) => LacksRoomHook?.Invoke(createFailure) ?? false;

    public override bool NeedsReset(Part item) => NeedsResetHook!(item);

    public override ValueTask<bool> ResetAsync(Part item, CancellationToken cancellationToken) =>
        Resets!(item, cancellationToken);

    protected internal override Part RenewedItem(Part item) => Renews is null ? item : Renews(item);

    public override ValueTask<bool> ProveCleanAsync(Part item, CancellationToken cancellationToken) =>
        ProvesClean!(item, cancellationToken);

    public override ValueTask KeepAliveAsync(Part item, CancellationToken cancellationToken) =>
        KeepsAlive!(item, cancellationToken);

    public override ValueTask DestroyAsync(Part item, DestroyReason reason)
    {
        lock (_gate)
        {
            _destroyed.Add((item, reason));
        }

        return Destroys is null ? default : Destroys(item, reason);
    }

    private static ResourceHooks Flag(Delegate? hook, ResourceHooks flag) => hook is null ? ResourceHooks.None : flag;
}
