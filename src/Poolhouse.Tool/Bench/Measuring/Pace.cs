using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>How much time measuring may take.</summary>
/// <param name="Rounds">Rounds of each rival in each cell; the median is reported.</param>
/// <param name="RoundTime">About how long a round is.</param>
/// <param name="WarmUp">The least time for which an experiment's code runs before it is measured.</param>
/// <param name="Budget">When this much time has passed, on a slow or busy machine, the remaining cells get one round
/// each, or three if they set their rounds themselves, because these are short.</param>
internal sealed record Pace(int Rounds, TimeSpan RoundTime, TimeSpan WarmUp, TimeSpan Budget)
{
    /// <summary>How much time the scenarios take, which run in real time.</summary>
    public ScenarioPace Scenarios { get; init; } = ScenarioPace.Full;

    public static Pace Full { get; } = new(
        5, TimeSpan.FromMilliseconds(14), TimeSpan.FromMilliseconds(1200), TimeSpan.FromSeconds(180));

    public static Pace Quick { get; } = new(
        3, TimeSpan.FromMilliseconds(8), TimeSpan.FromMilliseconds(600), TimeSpan.FromSeconds(28))
    {
        Scenarios = ScenarioPace.Quick,
    };

    /// <summary>For tests: returns meaningless figures at once.</summary>
    public static Pace Tiny { get; } = new(1, TimeSpan.FromTicks(1), TimeSpan.Zero, TimeSpan.MaxValue)
    {
        Scenarios = ScenarioPace.Tiny,
    };
}
