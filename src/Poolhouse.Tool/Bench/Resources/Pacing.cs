namespace Poolhouse.Tool.Bench.Resources;

/// <summary>Turns the times that a scenario names into those that it takes.</summary>
internal static class Pacing
{
    private const double TinyScale = 0.02;

    /// <summary>So many milliseconds, or fewer with <c>--quick</c>.</summary>
    public static TimeSpan Choose(this ScenarioPace pace, double full, double quick) => pace switch
    {
        ScenarioPace.Full => TimeSpan.FromMilliseconds(full),
        ScenarioPace.Quick => TimeSpan.FromMilliseconds(quick),
        _ => TimeSpan.FromMilliseconds(Math.Max(1, quick * TinyScale)),
    };

    /// <summary>So many milliseconds, with <c>--quick</c> as well.</summary>
    public static TimeSpan Milliseconds(this ScenarioPace pace, double milliseconds) => pace.Choose(milliseconds, milliseconds);
}
