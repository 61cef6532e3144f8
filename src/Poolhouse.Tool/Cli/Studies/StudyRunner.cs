using System.ComponentModel;
using System.Data.Common;
using System.DirectoryServices.Protocols;
using System.Net.Sockets;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>Runs one study, and keeps the measurements if the user stops it, or a file, a server or the network fails.</summary>
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
        IReadOnlyList<Cell> cells = [];
        var measured = new List<Measurement>();
        string? failure = null;
        try
        {
            // A plan may read files.
            cells = experiment.Plan(plan);
            progress.Begin(
                cells.Count, "cells", cells.SelectMany(cell => cell.Contenders).Select(contender => contender.Rival).Distinct());
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
        catch (Exception exception) when (IsExternal(exception))
        {
            failure = Describe(exception);
        }

        return new ExperimentResult(experiment, measured, cells.Count) { Failure = failure };
    }

    private ScenarioResult Watch(Scenario scenario, IStudyProgress progress, CancellationToken cancellation)
    {
        IReadOnlyList<TrialPlan> plans = [];
        var trials = new List<Trial>();
        string? failure = null;
        try
        {
            plans = scenario.Plan(plan, pace, time);
            progress.Begin(plans.Count, "trials", plans.Select(each => each.Rival).Distinct());
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
        catch (Exception exception) when (IsExternal(exception))
        {
            failure = Describe(exception);
        }

        return new ScenarioResult(scenario, trials, plans.Count) { Failure = failure };
    }

    private static bool IsExternal(Exception exception) => exception
        is IOException or UnauthorizedAccessException or DbException or LdapException or IPoolException or TimeoutException
        or HttpRequestException or SocketException or ServerFailedException or Win32Exception or UsageException;

    // The message of a provider may contain a part of the connection string.
    private static string Describe(Exception exception) =>
        exception is IOException or UnauthorizedAccessException or LdapException or ServerFailedException or Win32Exception
            or UsageException
            ? exception.Message
            : $"{DatabaseErrors.Of(exception)}.";
}
