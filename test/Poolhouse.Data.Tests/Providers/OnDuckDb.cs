using System.Globalization;
using DuckDB.NET.Data;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnDuckDb : EmbeddedConformance
{
    internal override Task<Subject> ConnectAsync() => Task.FromResult(
        new Subject(DuckDBClientFactory.Instance, $"Data Source={Database.Path}")
        {
            Leftovers =
            [
                ("CREATE TEMP TABLE mine (x INT)", "SELECT COUNT(*) FROM duckdb_tables() WHERE temporary"),
                ("SET VARIABLE owner = 'me'", "SELECT getvariable('owner')"),
                ("CREATE SCHEMA mine; SET search_path = 'mine'", "SELECT current_setting('search_path')"),
            ],
            Setting = ("SET VARIABLE owner = 2", "SET VARIABLE owner = 3", "SELECT getvariable('owner')"),
        });

    // The file shows that the statement has begun.
    private protected override string Busy(long rows) => string.Create(
        CultureInfo.InvariantCulture,
        $"COPY (SELECT COUNT(*) FROM range(1000000) a, range({rows / 1_000_000}) b WHERE a.range + b.range = 7) " +
        $"TO '{Output}' (FORMAT csv, USE_TMP_FILE false)");

    private protected override bool IsBusy => File.Exists(Output);

    private string Output => Database.Path + ".csv";
}
