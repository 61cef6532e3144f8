using System.CommandLine;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Spectre.Console;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>The command <c>bench</c> and its options.</summary>
internal sealed class BenchCommand : Command
{
    private readonly Argument<string[]> _choices = new("experiments")
    {
        Description = $"What to measure: one or more of {string.Join(", ", Catalog.Choices)}, and of the experiments that --list "
            + "names.",
        HelpName = "EXPERIMENTS",
        Arity = ArgumentArity.ZeroOrMore,
        DefaultValueFactory = _ => [Catalog.Everything],
    };

    private readonly Option<bool> _quick = new("--quick") { Description = "Fewer sizes and shorter rounds: under 50 seconds." };

    private readonly Option<IReadOnlyList<int>?> _threads = new("--threads")
    {
        Description = "Thread counts, such as 1,2,4. By default 1, 2, 4, … up to 32, or up to twice the cores with --quick.",
        HelpName = "N,N,…",
        CustomParser = ThreadCounts.Parse,
    };

    private readonly Option<string> _report = ReportOptions.Report();

    private readonly Option<string?> _json = ReportOptions.Json();

    private readonly Option<string?> _compare = new("--compare")
    {
        Description = "Also compare with an earlier run: the results.json of its report, or the folder.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _input = new("--input")
    {
        Description = "The folder that 'files' reads. By default the XML documentation that comes with the SDK.",
        HelpName = "DIR",
    };

    private readonly Option<string?> _pdf = new("--pdf")
    {
        Description = "The PDF file that 'streams' takes pages from. By default, one of 40 pages is generated.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _postgres = new("--postgres")
    {
        Description = "A PostgreSQL server for 'database', as a connection string of Npgsql. By default a temporary server "
            + "is started, measured and removed, if PostgreSQL is installed. Reports never show it.",
        HelpName = "CONNECTION",
    };

    private readonly Option<string?> _provider = ProviderOption.Create(
        "Measure only this database with 'database': npgsql for PostgreSQL, sqlite for SQLite, sqlserver for SQL Server; mysql, "
        + "odbc, duckdb and firebird need --connection. Only sqlite and npgsql are measured otherwise.");

    private readonly Option<string?> _connection = new("--connection")
    {
        Description = "The database for '--provider mysql', 'odbc', 'duckdb' or 'firebird', as the driver's connection string. "
            + "Reports never show it.",
        HelpName = "CONNECTION",
    };

    private readonly Option<string?> _sqlServer = new("--sqlserver")
    {
        Description = "A server for '--provider sqlserver', as a connection string of SqlClient. By default a model of a server "
            + "in this process is used. Reports never show it.",
        HelpName = "CONNECTION",
    };

    private readonly Option<string?> _server = new("--server")
    {
        Description = "An LDAP server for 'ldap', such as ldap://localhost:389. By default, a server in this process is used. "
            + "Only the root entry of your server is read; it is not stopped, and reports do not show it.",
        HelpName = "URL",
    };

    private readonly Option<string?> _bindDn = new("--bind-dn")
    {
        Description = "The identity used for --server. By default, anonymous.",
        HelpName = "DN",
    };

    private readonly Option<string?> _bindPassword = new("--bind-password")
    {
        Description = "The password of --bind-dn. Reports never show it.",
        HelpName = "PASSWORD",
    };

    private readonly Option<bool> _list =
        new("--list") { Description = "List the experiments, which of them run by default and how long each takes, and exit." };

    public BenchCommand(IAnsiConsole console, TimeProvider time, Pace? pace)
        : base("bench", "Measure on this machine whether a pool pays, and which one.")
    {
        _choices.Validators.Add(result =>
        {
            if (result.Tokens.Select(token => token.Value).FirstOrDefault(
                word => !Catalog.Names.Contains(word, StringComparer.Ordinal)) is { } word)
            {
                var name = Secrets.WithoutValue(word);
                result.AddError(name.StartsWith('-')
                    ? $"'{name}' is not an option of 'poolhouse " +
                        $"bench'.{Suggestion.For(name, Options.Select(option => option.Name))}"
                    : $"'{name}' is not an experiment.{Suggestion.For(name, Catalog.Names)} "
                        + $"There are {string.Join(", ", Catalog.Choices)}, and those that 'poolhouse bench --list' names.");
            }
        });
        Add(_choices);
        Add(_quick);
        Add(_threads);
        Add(_report);
        Add(_json);
        Add(_compare);
        Add(_input);
        Add(_pdf);
        Add(_provider);
        Add(_connection);
        Add(_postgres);
        Add(_sqlServer);
        Add(_server);
        Add(_bindDn);
        Add(_bindPassword);
        Add(_list);
        SetAction((result, cancellation) => Task.FromResult(Run(result, console, time, pace, cancellation)));
    }

    private int Run(ParseResult result, IAnsiConsole console, TimeProvider time, Pace? pace, CancellationToken cancellation)
    {
        if (result.GetValue(_list))
        {
            ExperimentList.Print(console);
            return ExitCode.Success;
        }

        var request = new BenchRequest
        {
            Choices = result.GetRequiredValue(_choices),
            Quick = result.GetValue(_quick),
            Threads = result.GetValue(_threads),
            Report = result.GetRequiredValue(_report),
            Json = result.GetValue(_json),
            Compare = result.GetValue(_compare),
            Input = result.GetValue(_input),
            Pdf = result.GetValue(_pdf),
            Provider = ProviderOption.KindOf(result.GetValue(_provider)),
            Postgres = result.GetValue(_postgres),
            SqlServer = result.GetValue(_sqlServer),
            Connection = result.GetValue(_connection),
            Server = result.GetValue(_server),
            BindDn = result.GetValue(_bindDn),
            BindPassword = result.GetValue(_bindPassword),
            Command = Secrets.CommandOf(
                result,
                _report,
                result.GetValue(_postgres),
                result.GetValue(_sqlServer),
                result.GetValue(_connection),
                result.GetValue(_server),
                result.GetValue(_bindDn),
                result.GetValue(_bindPassword)),
        };
        return new BenchRun(request, console, time, pace).Run(cancellation);
    }
}
