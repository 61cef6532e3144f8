using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Creates parts, and keeps the ledger. A hook can be set to last until a given time.</summary>
internal class PartPolicy(TimeProvider clock) : ResourcePolicy<Part>
{
    private readonly List<Part> _made = [];
    private int _gone;

    /// <summary>Until when the next creation lasts; later ones last no time.</summary>
    public TimeSpan CreationEnds { get; set; }

    /// <summary>Until when the next destruction lasts.</summary>
    public TimeSpan DestructionEnds { get; set; }

    /// <summary>Until when the next reset lasts, if the policy has one.</summary>
    public TimeSpan ResetEnds { get; set; }

    /// <summary>What a part complained of.</summary>
    public Exception? Trouble { get; private set; }

    public int Made => _made.Count;

    public int Alive => _made.Count - _gone;

    public int Held => _made.Count(part => part.IsHeld);

    public override ValueTask<Part> CreateAsync(CancellationToken cancellationToken) => new(Make());

    public override ValueTask DestroyAsync(Part item, DestroyReason reason)
    {
        try
        {
            item.Destroy();
        }
        catch (InvalidOperationException trouble)
        {
            // The pool swallows what a hook throws.
            Trouble = trouble;
        }

        var ends = DestructionEnds;
        DestructionEnds = default;
        _gone++;
        LastUntil(ends);
        return default;
    }

    protected Part Make()
    {
        var ends = CreationEnds;
        CreationEnds = default;
        LastUntil(ends);
        var part = new Part();
        _made.Add(part);
        return part;
    }

    /// <summary>A hook of the policy takes some time: all other actors may continue meanwhile.</summary>
    protected void LastUntil(TimeSpan end)
    {
        Actor.Step("run", "hook");
        Actor.Until(() => clock.GetTimestamp() >= end.Ticks, "time to pass");
    }
}
