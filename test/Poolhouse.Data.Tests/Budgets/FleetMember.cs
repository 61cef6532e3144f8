using Poolhouse.Data.Budgets;

namespace Poolhouse.Data.Tests.Budgets;

/// <summary>A process of a simulated fleet: one session with which it shows what it wants, and those of its pool.</summary>
internal sealed class FleetMember(string name, bool showsNames)
{
    public string Name { get; } = name;

    public MemberShare Share { get; } = new(name, showsNames);

    /// <summary>Whether it has the session with which it takes part.</summary>
    public bool IsJoined { get; set; }

    /// <summary>Whether it is stopped: it holds what it holds, and neither reads lists nor opens or closes sessions.</summary>
    public bool IsPaused { get; set; }

    /// <summary>Whether the server has refused a session: a pool tries again after the next list.</summary>
    public bool IsRefused { get; set; }

    public int Held { get; set; }

    public int Wanted { get; set; }

    /// <summary>What the name of its session says that it wants.</summary>
    public int Shown { get; set; }

    /// <summary>What the statement of its session says that it holds, where that is all that others see.</summary>
    public int Stated { get; set; }

    public int Sessions => Held + (IsJoined ? 1 : 0);
}
