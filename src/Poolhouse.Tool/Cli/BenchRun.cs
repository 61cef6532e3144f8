using Poolhouse.Tool.Experiments;
using Poolhouse.Tool.Measuring;
using Poolhouse.Tool.Report;
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

    private List<ExperimentResult> Measure(CancellationToken cancellation)
    {
        var plan = BenchPlan.Create(request.Quick, request.Threads, request.Input);
        var measuringPace = pace ?? (request.Quick ? Pace.Quick : Pace.Full);
        using var measurer = new Measurer(measuringPace, time, cancellation);
        var results = new List<ExperimentResult>();
        BenchProgress.Show(console, time, Catalog.Select(request.Choice), (experiment, progress) =>
        {
            var cells = experiment.Plan(plan);
            var measured = new List<Measurement>();
            progress.Begin(cells.Count);
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

            results.Add(new ExperimentResult(experiment, measured, cells.Count));
            return !cancellation.IsCancellationRequested;
        });
        return results;
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
