using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Ldap;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Report.Comparing;
using Spectre.Console;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>One run of <c>bench</c>: checks, measures, reports.</summary>
/// <param name="request">The request.</param>
/// <param name="console">Where to print.</param>
/// <param name="time">The clock.</param>
/// <param name="pace">How long to measure; <c>null</c>: as the request says.</param>
internal sealed class BenchRun(BenchRequest request, IAnsiConsole console, TimeProvider time, Pace? pace)
{
    /// <exception cref="UsageException">The request cannot be carried out; nothing was measured or written.</exception>
    public int Run(CancellationToken cancellation)
    {
        CheckInput();
        PdfOption.Check(request);
        var earlier = request.Compare is { } compare ? Comparison.Read(compare) : null;
        var target = new ReportTarget(request.Report, request.Json);
        var ldap = LdapOptions.Read(request);
        var selection = StudySelection.Of(
            request.Choices, request.Postgres is not null, ldap.User is not null, request.Provider);
        if (request.Provider is not null && selection.Studies.Count == 0 && selection.Skipped.Count == 0)
        {
            throw new UsageException($"--provider is for '{Catalog.DatabaseGroup}'; '{request.Choice}' has nothing for it.");
        }

        if (request.SqlServer is not null && !selection.Databases.Contains(DatabaseKind.SqlServer))
        {
            throw new UsageException($"--sqlserver is for '{Catalog.DatabaseGroup}' with --provider sqlserver.");
        }

        if (request.Connection is not null && Driver.Of(request.Provider) is null)
        {
            throw new UsageException(
                "--connection is for --provider mysql, odbc, duckdb or firebird. Other servers have --postgres and --sqlserver.");
        }

        if (request.Postgres is not null && !selection.Databases.Contains(DatabaseKind.PostgreSql))
        {
            throw new UsageException(selection.Skipped is [var skipped, ..]
                ? $"--postgres cannot be used here: {skipped}"
                : $"--postgres is for '{Catalog.DatabaseGroup}' and '{Catalog.Everything}'; '{request.Choice}' uses no PostgreSQL server.");
        }

        if (selection.Studies.Any(study => study.Group == Catalog.LdapGroup))
        {
            LdapOptions.Check(ldap);
        }

        try
        {
            using var databases = DatabaseOpening.Open(
                selection.Databases, request.Postgres, request.SqlServer, request.Connection, cancellation);
            return Run(databases, ldap, selection, target, earlier, cancellation);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            // While a server was being started.
            console.WriteLine(BenchConsole.StoppedEarly);
            return ExitCode.Interrupted;
        }
    }

    private int Run(
        DatabaseSet databases, LdapSource ldap, StudySelection selection, ReportTarget target, JsonDocumentModel? earlier,
        CancellationToken cancellation)
    {
        var machine = Machine.Describe(time, request.Command) with
        {
            Databases = LdapOptions.IsLdap(request.Choices) ? ldap.Name : databases.Names,
        };
        BenchConsole.PrintHead(console, machine, selection.Skipped);
        var started = time.GetTimestamp();
        var plan = BenchPlan.Create(request.Quick, request.Threads, request.Input) with
        {
            Databases = databases,
            Ldap = ldap,
            Pdf = request.Pdf,
        };
        var results = Measure(plan, selection.Studies, cancellation);
        var result = new BenchResult(machine, results, time.GetElapsedTime(started), cancellation.IsCancellationRequested);
        return Finish(result with { Comparison = earlier is null ? null : Comparison.Of(earlier, result) }, target);
    }

    private List<StudyResult> Measure(BenchPlan plan, IReadOnlyList<Study> studies, CancellationToken cancellation)
    {
        var measuringPace = pace ?? (request.Quick ? Pace.Quick : Pace.Full);
        using var measurer = new Measurer(measuringPace, time, cancellation);
        var runner = new StudyRunner(plan, measurer, measuringPace.Scenarios, time);
        var results = new List<StudyResult>();
        BenchProgress.Show(console, time, studies, (study, progress) =>
        {
            results.Add(runner.Run(study, progress, cancellation));
            return !cancellation.IsCancellationRequested;
        });
        return results;
    }

    private int Finish(BenchResult result, ReportTarget target)
    {
        if (result.IsEmpty)
        {
            console.WriteLine(result.WasStopped ? BenchConsole.StoppedEarly : "Nothing was measured.");
            foreach (var failed in result.Studies.Where(study => study.Failure is not null))
            {
                console.WriteLine($"{failed.Study.Id}: {failed.Failure}");
            }
        }
        else
        {
            BenchConsole.PrintResult(console, result);
            target.Write(result, console);
        }

        return result.WasStopped ? ExitCode.Interrupted
            : result.Studies.Any(study => study.Failure is not null) ? ExitCode.Incomplete
            : ExitCode.Success;
    }

    private void CheckInput()
    {
        if (request.Input is { } input && !Directory.Exists(input))
        {
            throw new UsageException($"--input '{input}' is not a folder. Specify an existing one.");
        }
    }
}
