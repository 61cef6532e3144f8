using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>Runs one study, and keeps the measurements if the user stops it.</summary>
internal sealed class StudyRunner(BenchPlan plan, Measurer measurer, ScenarioPace pace, TimeProvider time)
{
    public StudyResult Run(Study study, IStudyProgress progress, CancellationToken cancellation) => study switch
    {
        Experiment experiment => Measure(experiment, progress, cancellation),
        Scenario scenario => Watch(scenario, progress, cancellation),
        _ => throw new InvalidOperationException($"No way to run '{study.Id}'."),
    };

    private ExperimentResult Measure(Experiment experiment, IStudyProgress progress, CancellationToken cancellation)
    {
        var cells = experiment.Plan(plan);
        var measured = new List<Measurement>();
        progress.Begin(
            cells.Count, "cells", cells.SelectMany(cell => cell.Contenders).Select(contender => contender.Rival).Distinct());
        try
        {
            measurer.WarmUp(experiment.PlanWarmUp(plan));
            foreach (var cell in cells)
            {
                measured.AddRange(measurer.Measure(experiment.Id, cell));
                progress.Advance();
            }
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            // What was measured until now is worth keeping.
        }

        return new ExperimentResult(experiment, measured, cells.Count);
    }

    private ScenarioResult Watch(Scenario scenario, IStudyProgress progress, CancellationToken cancellation)
    {
        var plans = scenario.Plan(plan, pace, time);
        var trials = new List<Trial>();
        progress.Begin(plans.Count, "trials", plans.Select(each => each.Rival).Distinct());
        try
        {
            foreach (var trial in plans)
            {
                cancellation.ThrowIfCancellationRequested();
#pragma warning disable VSTHRD002 // The progress bars have a thread of their own to draw on; this one has nothing else to do.
                trials.Add(trial.RunAsync(cancellation).GetAwaiter().GetResult());
#pragma warning restore VSTHRD002
                progress.Advance();
            }
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            // The trials that came to their end are worth keeping.
        }

        return new ScenarioResult(scenario, trials, plans.Count);
    }
}
