using Poolhouse.Resources.Engine;

namespace Poolhouse.Tests;

/// <summary>A nested policy whose hooks are set by the test; a hook that is not set does not exist for the pool.</summary>
internal sealed class ScriptedNestedPolicy : NestedPolicy<Part, Leaf>
{
    private readonly Lock _gate = new();
    private readonly List<Leaf> _created = [];
    private readonly List<(Leaf Leaf, DestroyReason Reason)> _destroyed = [];

    public Func<Part, CancellationToken, ValueTask<Leaf>>? Creates { get; set; }

    public Func<Leaf, bool>? IsBrokenHook { get; set; }

    public Func<Leaf, bool>? IsBrokenAfterIdleHook { get; set; }

    public Func<Exception, bool>? IsPermanentHook { get; set; }

    public Func<Exception, bool>? IsParentFullHook { get; set; }

    public Func<Leaf, LeaseInfo, CancellationToken, ValueTask<bool>>? Validates { get; set; }

    public Func<Leaf, bool>? NeedsResetHook { get; set; }

    public Func<Leaf, CancellationToken, ValueTask<bool>>? Resets { get; set; }

    public Func<Leaf, CancellationToken, ValueTask<bool>>? ProvesClean { get; set; }

    public Func<Leaf, CancellationToken, ValueTask>? KeepsAlive { get; set; }

    public Func<Leaf, DestroyReason, ValueTask>? Destroys { get; set; }

    public IReadOnlyList<Leaf> Created
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
    public IReadOnlyList<(Leaf Leaf, DestroyReason Reason)> Destroyed
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
        Flag(IsBrokenHook, ResourceHooks.IsBroken) | Flag(Validates, ResourceHooks.Validate) | Flag(Resets, ResourceHooks.Reset) |
        Flag(ProvesClean, ResourceHooks.ProveClean) | Flag(KeepsAlive, ResourceHooks.KeepAlive) |
        Flag(NeedsResetHook, ResourceHooks.NeedsReset) | Flag(IsBrokenAfterIdleHook, ResourceHooks.IsBrokenAfterIdle);

    /// <summary>The next child, numbered from 1.</summary>
    public Leaf New(Part parent)
    {
        lock (_gate)
        {
            var leaf = new Leaf(_created.Count + 1, parent);
            _created.Add(leaf);
            return leaf;
        }
    }

    public override ValueTask<Leaf> CreateAsync(Part parent, CancellationToken cancellationToken) =>
        Creates is null ? new ValueTask<Leaf>(New(parent)) : Creates(parent, cancellationToken);

    public override bool IsBroken(Leaf item) => IsBrokenHook!(item);

    public override bool IsBrokenAfterIdle(Leaf item) => IsBrokenAfterIdleHook!(item);

    public override bool IsPermanent(Exception createFailure) => IsPermanentHook?.Invoke(createFailure) ?? false;

    public override bool IsParentFull(Exception createFailure) => IsParentFullHook?.Invoke(createFailure) ?? false;

    public override ValueTask<bool> ValidateAsync(Leaf item, LeaseInfo info, CancellationToken cancellationToken) =>
        Validates!(item, info, cancellationToken);

    public override bool NeedsReset(Leaf item) => NeedsResetHook!(item);

    public override ValueTask<bool> ResetAsync(Leaf item, CancellationToken cancellationToken) =>
        Resets!(item, cancellationToken);

    public override ValueTask<bool> ProveCleanAsync(Leaf item, CancellationToken cancellationToken) =>
        ProvesClean!(item, cancellationToken);

    public override ValueTask KeepAliveAsync(Leaf item, CancellationToken cancellationToken) =>
        KeepsAlive!(item, cancellationToken);

    public override ValueTask DestroyAsync(Leaf item, DestroyReason reason)
    {
        lock (_gate)
        {
            _destroyed.Add((item, reason));
        }

        return Destroys is null ? default : Destroys(item, reason);
    }

    private static ResourceHooks Flag(Delegate? hook, ResourceHooks flag) => hook is null ? ResourceHooks.None : flag;
}
