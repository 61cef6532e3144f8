using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>A figure of Poolhouse in a scenario, in an earlier run and in this one.</summary>
/// <param name="Study">The scenario.</param>
/// <param name="Then">The earlier run.</param>
/// <param name="Now">This run.</param>
/// <param name="Rivals">The same figure of the other pools: their code did not change.</param>
internal sealed record FigureChange(TrialStudy Study, Finding Then, Finding Now, IReadOnlyList<Movement> Rivals)
{
    /// <summary>
    /// A scenario runs once, so that a figure has no rounds. A change no larger than that of the same figure of another pool is
    /// noise.
    /// </summary>
    public bool IsNoise
    {
        get
        {
            var own = new Movement(Then.Value, Now.Value);
            return !Now.DiffersFrom(Then) || Rivals.Any(own.IsWithin);
        }
    }

    public string Judgement => Now.Wish switch
    {
        _ when IsNoise => "noise",
        Expectation.Less => Now.Value < Then.Value ? "better" : "worse",
        Expectation.More => Now.Value > Then.Value ? "better" : "worse",
        _ => "changed",
    };
}
