using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Web;
using Poolhouse.Tool.Cli.Studies;

namespace Poolhouse.Tool.Tests.Cli;

/// <summary>A file, a server or the network that fails ends one part of the run, and not the whole.</summary>
public sealed class FailingStudies
{
    [Fact]
    public void What_was_measured_before_is_kept_and_the_verdict_has_the_reason()
    {
        var result = Run(static () =>
        [
            new(RivalNames.Poolhouse, static _ => Task.FromResult(new Trial(RivalNames.Poolhouse, [], []))),
            new(RivalNames.ChannelPool, static _ => throw new IOException("The disk is full.")),
        ]);

        Assert.Equal(RivalNames.Poolhouse, Assert.Single(result.Trials).Rival);
        Assert.Equal(new Verdict(Outcome.Unknown, "Not measured to the end: The disk is full."), result.Verdict);
    }

    [Fact]
    public void A_program_that_fails_ends_one_study()
    {
        var result = Run(static () => [new(RivalNames.Poolhouse, static _ => throw Record.Exception(() => Wrk.Read("broken"))!)]);

        Assert.StartsWith(
            "Not measured to the end: wrk did not report its figures", result.Verdict.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_file_that_is_gone_when_a_study_is_planned_ends_one_study()
    {
        var result = Run(static () => throw new FileNotFoundException("It is gone."));

        Assert.Equal("It is gone.", result.Failure);
        Assert.Empty(result.Trials);
    }

    private static ScenarioResult Run(Func<IReadOnlyList<TrialPlan>> plan)
    {
        using var measurer = new Measurer(Pace.Tiny, TimeProvider.System, CancellationToken.None);
        var runner = new StudyRunner(
            BenchPlan.Create(quick: true, threads: null, input: null), measurer, ScenarioPace.Tiny, TimeProvider.System);
        return Assert.IsType<ScenarioResult>(
            runner.Run(new Failing(plan), new NoProgress(), TestContext.Current.CancellationToken));
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

    /// <summary>A scenario with the given trials.</summary>
    private sealed class Failing(Func<IReadOnlyList<TrialPlan>> trials) : Scenario
    {
        public override string Id => "failing";

        public override string Title => "";

        public override string Question => "";

        public override string Method => "";

        protected override IReadOnlyList<Plot> Plots => [];

        public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) => trials();

        protected override Verdict JudgeAll(IReadOnlyList<Trial> trials) => throw new InvalidOperationException();
    }
}
