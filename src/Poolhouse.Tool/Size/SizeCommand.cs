using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Cli;
using Spectre.Console;

namespace Poolhouse.Tool.Size;

/// <summary>The command <c>size</c> and its options.</summary>
internal sealed class SizeCommand : Command
{
    private const int MostCallers = 1000;
    private const double FewestSeconds = 1;
    private const double MostSeconds = 3600;

    private readonly Option<string?> _provider = ProviderOption.Create(
        "npgsql for PostgreSQL, sqlite for SQLite, sqlserver for SQL Server, mysql for MySQL and MariaDB, odbc, firebird, and "
        + "duckdb, which needs the native library of DuckDB.");

    private readonly Option<string?> _connection = new("--connection")
    {
        Description = "The provider's connection string. Never shown. By default, sqlserver uses a model of a server in this "
            + "process.",
        HelpName = "CONNECTION",
    };

    private readonly Option<string> _query = new("--query")
    {
        Description = "The query that each caller runs repeatedly.",
        HelpName = "SQL",
        Required = true,
    };

    private readonly Option<int> _callers = new("--callers")
    {
        Description = $"The number of concurrent callers, 1 to {Units.Count(MostCallers)}; the largest pool measured has one "
            + "connection for each.",
        HelpName = "N",
        CustomParser = result => int.TryParse(TextOf(result), NumberStyles.Integer, CultureInfo.InvariantCulture, out var number)
            ? number
            : Reject<int>(result, MostCallers),
        DefaultValueFactory = _ => 32,
    };

    private readonly Option<double> _seconds = new("--seconds")
    {
        Description = $"The total duration in seconds, {Units.Count(FewestSeconds)} to {Units.Count(MostSeconds)}.",
        HelpName = "N",
        CustomParser = result => double.TryParse(TextOf(result), NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
            ? number
            : Reject<double>(result, MostSeconds),
        DefaultValueFactory = _ => 20,
    };

    private readonly Option<bool> _allowWrites = new("--allow-writes")
    {
        Description = "Allow the query to change data: it runs thousands of times. By default, the connections are read-only.",
    };

    private readonly Option<string> _report = ReportOptions.Report();

    private readonly Option<string?> _json = ReportOptions.Json();

    public SizeCommand(IAnsiConsole console, TimeProvider time)
        : base("size", "Measure how many connections a query needs, and recommend the smallest sufficient pool.")
    {
        _provider.Required = true;
        Add(_provider);
        Add(_connection);
        Add(_query);
        Add(_callers);
        Add(_seconds);
        Add(_allowWrites);
        Add(_report);
        Add(_json);
        SetAction((result, cancellation) => new SizeRun(Read(result), console, time).RunAsync(cancellation));
    }

    private static string TextOf(ArgumentResult result) => result.Tokens is [{ Value: var text }] ? text : "";

    private static T? Reject<T>(ArgumentResult result, double most)
    {
        var option = (result.Parent as OptionResult)?.IdentifierToken?.Value;
        result.AddError($"{option} '{TextOf(result)}' is not a number; allowed: 1 to {Units.Count(most)}.");
        return default;
    }

    /// <exception cref="UsageException">A value is out of its range.</exception>
    private SizeRequest Read(ParseResult result)
    {
        var connection = result.GetValue(_connection);
        var query = result.GetRequiredValue(_query);
        if (string.IsNullOrWhiteSpace(query))
        {
            throw new UsageException("--query is blank. Specify a query, such as 'SELECT 1'.");
        }

        var callers = result.GetValue(_callers);
        if (callers is < 1 or > MostCallers)
        {
            throw new UsageException($"--callers {Units.Count(callers)} is outside 1 to {Units.Count(MostCallers)}.");
        }

        var seconds = result.GetValue(_seconds);
        if (!(seconds is >= FewestSeconds and <= MostSeconds))
        {
            throw new UsageException(
                $"--seconds {Units.Count(seconds)} is outside {Units.Count(FewestSeconds)} to {Units.Count(MostSeconds)}.");
        }

        return new SizeRequest
        {
            Kind = DatabaseKinds.OfProvider(result.GetValue(_provider)!),
            Connection = connection,
            Query = query,
            Callers = callers,
            Total = TimeSpan.FromSeconds(seconds),
            AllowWrites = result.GetValue(_allowWrites),
            Report = result.GetRequiredValue(_report),
            Json = result.GetValue(_json),
            Command = Secrets.CommandOf(result, _report, connection, query),
        };
    }
}
