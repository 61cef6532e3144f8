using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Creates and counts parts. A hook can be set to last until a given time.</summary>
internal class PartPolicy(TimeProvider clock) : ResourcePolicy<Part>
{
    private readonly List<Part> _created = [];
    private int _gone;

    /// <summary>When the next creation ends; later ones end at once.</summary>
    public TimeSpan CreationEnds { get; set; }

    /// <summary>How many of the next creations fail.</summary>
    public int FailingCreations { get; set; }

    /// <summary>When the next destruction ends.</summary>
    public TimeSpan DestructionEnds { get; set; }

    /// <summary>When the next reset ends, if the policy has one.</summary>
    public TimeSpan ResetEnds { get; set; }

    /// <summary>A violation that a part detected.</summary>
    public Exception? Violation { get; private set; }

    public int Created => _created.Count;

    public int Alive => _created.Count - _gone;

    public int Held => _created.Count(part => part.IsHeld);

    public override ValueTask<Part> CreateAsync(CancellationToken cancellationToken) => new(CreatePart());

    public override ValueTask DestroyAsync(Part item, DestroyReason reason)
    {
        try
        {
            item.Destroy();
        }
        catch (InvalidOperationException violation)
        {
            // The pool swallows what a hook throws.
            Violation = violation;
        }

        var ends = DestructionEnds;
        DestructionEnds = default;
        _gone++;
        LastUntil(ends);
        return default;
    }

    /// <summary>A hook is called for a part that must not be destroyed yet (I30).</summary>
    protected void RequireAlive(Part item)
    {
        if (item.IsDestroyed)
        {
            Violation = new InvalidOperationException("A hook is called for a part that was destroyed.");
        }
    }

    protected Part CreatePart()
    {
        var ends = CreationEnds;
        CreationEnds = default;
        LastUntil(ends);
        if (FailingCreations > 0)
        {
            FailingCreations--;
            throw new InvalidOperationException("The part cannot be created.");
        }

        var part = new Part();
        _created.Add(part);
        return part;
    }

    /// <summary>Lets a hook last until the given time; all other actors may continue meanwhile.</summary>
    protected void LastUntil(TimeSpan end)
    {
        Actor.Step("run", "hook");
        Actor.Until(() => clock.GetTimestamp() >= end.Ticks, "time to pass");
    }
}
