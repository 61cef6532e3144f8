using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Cli.Studies;

namespace Poolhouse.Tool.Tests.Cli;

/// <summary>A file, a server or the network that fails ends one part of the run, and not the whole.</summary>
public sealed class FailingStudies
{
    [Fact]
    public void What_was_measured_before_is_kept_and_the_verdict_has_the_reason()
    {
        using var measurer = new Measurer(Pace.Tiny, TimeProvider.System, CancellationToken.None);
        var runner = new StudyRunner(
            BenchPlan.Create(quick: true, threads: null, input: null), measurer, ScenarioPace.Tiny, TimeProvider.System);

        var result = Assert.IsType<ScenarioResult>(
            runner.Run(new Failing(), new NoProgress(), TestContext.Current.CancellationToken));

        Assert.Equal(RivalNames.Poolhouse, Assert.Single(result.Trials).Rival);
        Assert.Equal(new Verdict(Outcome.Unknown, "Not measured to the end: The disk is full."), result.Verdict);
    }

    private sealed class NoProgress : IStudyProgress
    {
        public void Begin(int steps, string things, IEnumerable<string> rivals)
        {
        }

        public void Advance()
        {
        }
    }

    /// <summary>A scenario whose second trial fails.</summary>
    private sealed class Failing : Scenario
    {
        public override string Id => "failing";

        public override string Title => "";

        public override string Question => "";

        public override string Method => "";

        protected override IReadOnlyList<Plot> Plots => [];

        public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
        [
            new(RivalNames.Poolhouse, _ => Task.FromResult(new Trial(RivalNames.Poolhouse, [], []))),
            new(RivalNames.ChannelPool, _ => throw new IOException("The disk is full.")),
        ];

        protected override Verdict JudgeAll(IReadOnlyList<Trial> trials) => throw new InvalidOperationException();
    }
}
