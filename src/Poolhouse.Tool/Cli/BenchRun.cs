using Poolhouse.Tool.Experiments;
using Poolhouse.Tool.Measuring;
using Poolhouse.Tool.Report;
using Poolhouse.Tool.Scenarios;
using Spectre.Console;

namespace Poolhouse.Tool.Cli;

/// <summary>One run of <c>bench</c>: checks, measures, reports.</summary>
/// <param name="request">What was asked for.</param>
/// <param name="console">Where to print.</param>
/// <param name="time">The clock.</param>
/// <param name="pace">How long to measure; <c>null</c>: as the request says.</param>
internal sealed class BenchRun(BenchRequest request, IAnsiConsole console, TimeProvider time, Pace? pace)
{
    /// <exception cref="UsageException">The request cannot be carried out; nothing was measured or written.</exception>
    public int Run(CancellationToken cancellation)
    {
        CheckInput();
        CheckJson();
        var folder = ReportFolder.Choose(request.Report);
        var machine = Machine.Describe(time, request.Command);
        BenchConsole.PrintHead(console, machine);
        var started = time.GetTimestamp();
        var results = Measure(cancellation);
        var result = new BenchResult(machine, results, time.GetElapsedTime(started), cancellation.IsCancellationRequested);
        if (result.IsEmpty)
        {
            console.WriteLine(
                result.WasStopped ? "Stopped before anything was measured; nothing was written." : "Nothing was measured.");
            return result.WasStopped ? ExitCode.Interrupted : ExitCode.Success;
        }

        BenchConsole.PrintResult(console, result);
        Write(folder, result);
        return result.WasStopped ? ExitCode.Interrupted : ExitCode.Success;
    }

    private List<StudyResult> Measure(CancellationToken cancellation)
    {
        var plan = BenchPlan.Create(request.Quick, request.Threads, request.Input);
        var measuringPace = pace ?? (request.Quick ? Pace.Quick : Pace.Full);
        using var measurer = new Measurer(measuringPace, time, cancellation);
        var results = new List<StudyResult>();
        BenchProgress.Show(console, time, Catalog.Select(request.Choice), (study, progress) =>
        {
            results.Add(study switch
            {
                Experiment experiment => Measure(experiment, plan, measurer, progress, cancellation),
                Scenario scenario => Watch(scenario, measuringPace.Scenarios, progress, cancellation),
                _ => throw new InvalidOperationException($"No way to run '{study.Id}'."),
            });
            return !cancellation.IsCancellationRequested;
        });
        return results;
    }

    private static ExperimentResult Measure(
        Experiment experiment, BenchPlan plan, Measurer measurer, IStudyProgress progress, CancellationToken cancellation)
    {
        var cells = experiment.Plan(plan);
        var measured = new List<Measurement>();
        progress.Begin(cells.Count, "cells");
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

    private ScenarioResult Watch(
        Scenario scenario, ScenarioPace scenarioPace, IStudyProgress progress, CancellationToken cancellation)
    {
        var plans = scenario.Plan(scenarioPace, time);
        var trials = new List<Trial>();
        progress.Begin(plans.Count, "trials");
        try
        {
            foreach (var plan in plans)
            {
                cancellation.ThrowIfCancellationRequested();
#pragma warning disable VSTHRD002 // The progress bars have a thread of their own to draw on; this one has nothing else to do.
                trials.Add(plan.RunAsync(cancellation).GetAwaiter().GetResult());
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

    private void Write(string folder, BenchResult result)
    {
        try
        {
            ReportWriter.Write(folder, result);
            if (request.Json is { } json)
            {
                File.WriteAllText(json, JsonReport.Write(result));
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"The report could not be written: {exception.Message}", exception);
        }

        BenchConsole.PrintPlace(console, folder, request.Report, request.Json);
    }

    private void CheckInput()
    {
        if (request.Input is { } input && !Directory.Exists(input))
        {
            throw new UsageException($"--input '{input}' is not a folder. Name one that exists.");
        }
    }

    private void CheckJson()
    {
        if (request.Json is not { } json)
        {
            return;
        }

        if (Path.Exists(json))
        {
            throw new UsageException($"--json '{json}' exists; nothing is overwritten. Name another file, or move it away.");
        }

        if (Path.GetDirectoryName(Path.GetFullPath(json)) is { } folder && !Directory.Exists(folder))
        {
            throw new UsageException($"--json '{json}': the folder '{folder}' does not exist. Make it, or name another file.");
        }
    }
}
