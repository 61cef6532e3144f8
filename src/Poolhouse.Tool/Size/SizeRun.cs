using System.Data.Common;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Cli.Studies;
using Spectre.Console;

namespace Poolhouse.Tool.Size;

/// <summary>One run of <c>size</c>: checks, measures, reports.</summary>
/// <param name="request">The request.</param>
/// <param name="console">Where to print.</param>
/// <param name="time">The clock.</param>
internal sealed class SizeRun(SizeRequest request, IAnsiConsole console, TimeProvider time)
{
    private const int LongestQueryShown = 120;
    private const int Probes = 3;

    /// <exception cref="UsageException">The request cannot be carried out; nothing was measured or written.</exception>
    public async Task<int> RunAsync(CancellationToken cancellation)
    {
        var target = new ReportTarget(request.Report, request.Json);
        using var database = DatabaseOpening.OpenUsers(request.Kind, request.Connection, request.AllowWrites);
        TimeSpan query;
        try
        {
            query = await ProbeAsync(database, cancellation).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            console.WriteLine(BenchConsole.StoppedEarly);
            return ExitCode.Interrupted;
        }

        var room = database.CountRoom();
        if (room < 1)
        {
            throw new UsageException(
                "The server has no room for another connection; this one uses the last. Close others, or raise the limit of the "
                + "server, the role or the database.");
        }

        var plan = SizePlan.For(request.Callers, room, request.Total);
        if (plan.LeastFor(query) is var least && least > plan.Total)
        {
            throw new UsageException(
                $"--seconds {Units.Count(request.Total.TotalSeconds)} is too short: the query takes "
                + $"{Units.Duration(query.TotalNanoseconds)}, so {Units.Count(plan.Sizes.Count)} sizes need at least "
                + $"{Units.Count(Math.Ceiling(least.TotalSeconds))} seconds. Raise --seconds, or lower --callers.");
        }

        var machine = Machine.Describe(time, request.Command) with { Databases = database.Name };
        BenchConsole.PrintHead(console, machine, plan.Sizes[^1] < request.Callers
            ? [$"The server has room for {Units.Count(plan.Sizes[^1])} more connections, so no larger pool is tried."]
            : []);
        var started = time.GetTimestamp();
        var study = await MeasureAsync(database, plan, cancellation).ConfigureAwait(false);
        var result = new BenchResult(machine, [study], time.GetElapsedTime(started), cancellation.IsCancellationRequested)
        {
            Heading = study.Study.Title,
        };
        return Finish(result, target);
    }

    private async Task<ScenarioResult> MeasureAsync(Database database, SizePlan plan, CancellationToken cancellation)
    {
        var search = new SizeSearch(database, request.Query, request.Callers, plan, time);
        try
        {
            await BenchProgress.ShowAsync(console, time, SizeStudy.Name, plan.Turns, "turns", advance =>
                search.RunAsync(advance, cancellation)).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            // What was measured until now is worth keeping.
        }
        catch (DbException exception)
        {
            throw Refused(exception);
        }

        var points = search.Points;
        var study = new SizeStudy(MethodOf(database, points), points, plan.Sizes[^1] < request.Callers);

        // An end before each size had its turn is an answer to another question: one trial is missing then.
        return new ScenarioResult(study, points.Count == 0 ? [] : [study.MakeTrial()], search.IsComplete ? 1 : 2);
    }

    private int Finish(BenchResult result, ReportTarget target)
    {
        if (result.IsEmpty)
        {
            console.WriteLine(BenchConsole.StoppedEarly);
        }
        else
        {
            BenchConsole.PrintResult(console, result);
            target.Write(result, console);
        }

        return result.WasStopped ? ExitCode.Interrupted : ExitCode.Success;
    }

    /// <returns>About how long the query takes alone.</returns>
    private async Task<TimeSpan> ProbeAsync(Database database, CancellationToken cancellation)
    {
        var fastest = TimeSpan.MaxValue;
        try
        {
            var source = database.OpenWithoutPool("poolhouse size");
            await using var _ = source.ConfigureAwait(false);
            var connection = await source.OpenConnectionAsync(cancellation).ConfigureAwait(false);
            await using var __ = connection.ConfigureAwait(false);
            for (var i = 0; i < Probes && (i == 0 || fastest < request.Total / Probes); i++)
            {
                var started = time.GetTimestamp();
                cancellation.ThrowIfCancellationRequested();
                await Statement.RunAsync(connection, request.Query, cancellation).ConfigureAwait(false);
                var took = time.GetElapsedTime(started);
                fastest = took < fastest ? took : fastest;
            }
        }
        catch (DbException exception)
        {
            throw Refused(exception);
        }
        catch (Exception exception) when (exception is InvalidOperationException or NotSupportedException)
        {
            throw new UsageException(
                $"--query cannot be run ({exception.Message.TrimEnd(' ', ':', '.')}). Parameters and COPY are not supported.",
                exception);
        }

        return fastest;
    }

    private static UsageException Refused(DbException exception) => new(
        DatabaseErrors.IsWriteRefused(exception)
            ? $"--query writes, and the connections are read-only ({DatabaseErrors.Of(exception)}). Add --allow-writes if it " +
                "may run thousands of times."
            : $"--query failed ({DatabaseErrors.Of(exception)}).",
        exception);

    private string MethodOf(Database database, IReadOnlyList<SizePoint> points)
    {
        var rounds = points.Select(point => point.Rounds).DefaultIfEmpty().ToList();
        var (least, most) = (rounds.Min(), rounds.Max());
        var times = least == most ? Units.Count(most) : $"{Units.Count(least)} to {Units.Count(most)}";
        var callers = database.IsAsynchronous ? "asynchronous callers" : "threads";
        return $"{Units.Count(request.Callers)} {callers} rent a connection from Poolhouse, run the query and return it, again " +
            "and again, "
            + $"on {database.Name}; each of {Units.Count(points.Count)} sizes {times} times, up, down and up; latency includes waiting for a connection. {(request.AllowWrites ? "Writing allowed" : "Read-only")}. "
            + $"Query: {ShownQuery()}";
    }

    /// <summary>The beginning of the query in one line, without what a page cannot show.</summary>
    private string ShownQuery()
    {
        var words = Printable.Of(
            string.Join(' ', request.Query.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)));
        if (words.Length <= LongestQueryShown)
        {
            return words;
        }

        var end = LongestQueryShown - (char.IsHighSurrogate(words[LongestQueryShown - 1]) ? 1 : 0);
        return string.Concat(words.AsSpan(0, end), "…");
    }
}
