using Poolhouse.Resources.Engine;

namespace Poolhouse.Tests;

/// <summary>A policy whose hooks are set by the test; a hook that is not set does not exist for the pool.</summary>
internal sealed class ScriptedPolicy : ResourcePolicy<Part>
{
    private readonly Lock _gate = new();
    private readonly List<Part> _made = [];
    private readonly List<(Part Part, DestroyReason Reason)> _destroyed = [];

    public Func<CancellationToken, ValueTask<Part>>? Creates { get; set; }

    public Func<CancellationToken, Part>? CreatesSynchronously { get; set; }

    public Func<Part, bool>? AsksIfBroken { get; set; }

    public Func<Part, bool>? AsksIfClosed { get; set; }

    public Func<Part, LeaseInfo, CancellationToken, ValueTask<bool>>? Validates { get; set; }

    public Func<Part, CancellationToken, ValueTask<bool>>? Resets { get; set; }

    public Func<Exception, bool>? AsksIfPermanent { get; set; }

    public Func<Part, bool>? AsksIfNeedsReset { get; set; }

    public Func<Part, CancellationToken, ValueTask<bool>>? ProvesClean { get; set; }

    public Func<Part, CancellationToken, ValueTask>? KeepsAlive { get; set; }

    public Func<Part, bool>? Retires { get; set; }

    public Action<Part>? Condemns { get; set; }

    public Func<Part, DestroyReason, ValueTask>? Destroys { get; set; }

    /// <summary>What <see cref="New"/> made.</summary>
    public IReadOnlyList<Part> Made
    {
        get
        {
            lock (_gate)
            {
                return [.. _made];
            }
        }
    }

    /// <summary>For what the pool called DestroyAsync, in order.</summary>
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
        Flag(CreatesSynchronously, ResourceHooks.Create) | Flag(AsksIfBroken, ResourceHooks.IsBroken) |
        Flag(Validates, ResourceHooks.Validate) | Flag(Resets, ResourceHooks.Reset) |
        Flag(ProvesClean, ResourceHooks.ProveClean) | Flag(KeepsAlive, ResourceHooks.KeepAlive) |
        Flag(AsksIfNeedsReset, ResourceHooks.NeedsReset) | Flag(AsksIfClosed, ResourceHooks.IsClosed);

    /// <summary>The next item, numbered from 1.</summary>
    public Part New()
    {
        lock (_gate)
        {
            var part = new Part(_made.Count + 1);
            _made.Add(part);
            return part;
        }
    }

    public override ValueTask<Part> CreateAsync(CancellationToken cancellationToken) =>
        Creates is null ? new ValueTask<Part>(New()) : Creates(cancellationToken);

    public override Part Create(CancellationToken cancellationToken) => CreatesSynchronously!(cancellationToken);

    protected internal override void OnValidationAbandoned(Part item) => Condemns?.Invoke(item);

    public override bool IsBroken(Part item) => AsksIfBroken!(item);

    public override bool IsRetired(Part item) => Retires?.Invoke(item) ?? false;

    public override bool IsClosed(Part item) => AsksIfClosed!(item);

    public override ValueTask<bool> ValidateAsync(Part item, LeaseInfo info, CancellationToken cancellationToken) =>
        Validates!(item, info, cancellationToken);

    public override bool IsPermanent(Exception createFailure) => AsksIfPermanent?.Invoke(createFailure) ?? false;

    public override bool NeedsReset(Part item) => AsksIfNeedsReset!(item);

    public override ValueTask<bool> ResetAsync(Part item, CancellationToken cancellationToken) =>
        Resets!(item, cancellationToken);

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
