namespace Poolhouse.Simulation;

/// <summary>A connection as the server and its users see it.</summary>
internal sealed class SimulatedItem(int number)
{
    public int Number { get; } = number;

    public long OpenedAt { get; init; }

    /// <summary>Since when it has been unused.</summary>
    public long IdleSince { get; set; }

    /// <summary>When it was last known to work.</summary>
    public long FreshSince { get; set; }

    /// <summary>The time from which it must not be rented, because its lifetime or the spread of a clear has ended.</summary>
    public long DiesAt { get; set; }

    /// <summary>The number of clears before its creation began.</summary>
    public int Generation { get; init; }

    /// <summary>Whether its creation ended after its deadline, so that the pool may have abandoned it.</summary>
    public bool IsLate { get; set; }

    /// <summary>The client that uses it, or 0.</summary>
    public int User { get; set; }

    /// <summary>Given to a waiter whose caller has not run yet.</summary>
    public bool IsPromised { get; set; }

    public int Uses { get; set; }

    /// <summary>The server has closed its side.</summary>
    public bool IsBroken { get; set; }

    /// <summary>Why it must not be rented again, or null.</summary>
    public string? Doom { get; set; }

    public bool IsTainted { get; set; }

    public bool IsDetached { get; set; }

    public bool IsDestroyed { get; set; }

    /// <summary>The hook that runs on it.</summary>
    public HookCall? Running { get; set; }

    /// <summary>The hook that runs or ran on it last.</summary>
    public HookCall? Last { get; set; }

    /// <summary>The call that proved it clean, whose deadline the reset that follows shares.</summary>
    public HookCall? Proved { get; set; }

    public bool IsOpen => !IsDestroyed && !IsDetached;
}
