using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>How large a fleet is, and how long it is left alone.</summary>
/// <param name="Processes">Those that start together.</param>
/// <param name="Places">The sessions that their role may have.</param>
/// <param name="Settling">How soon after an event the shares must be fair.</param>
/// <param name="Short">The time after most events.</param>
/// <param name="Long">How long a process is stopped or cut off.</param>
internal sealed record FleetPlan(int Processes, int Places, TimeSpan Settling, TimeSpan Short, TimeSpan Long)
{
    /// <summary>The callers of each process, and the <c>MaxSize</c> of its pool.</summary>
    public const int Callers = 20;

    public static FleetPlan Of(ScenarioPace pace) => pace switch
    {
        ScenarioPace.Full => new(8, 40, TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(6), TimeSpan.FromSeconds(10)),
        ScenarioPace.Quick => new(8, 40, TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(4.5), TimeSpan.FromSeconds(5)),
        _ => new(3, 12, TimeSpan.FromSeconds(0.1), TimeSpan.FromSeconds(0.6), TimeSpan.FromSeconds(0.6)),
    };
}
