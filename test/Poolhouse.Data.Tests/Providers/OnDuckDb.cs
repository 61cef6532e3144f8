using DuckDB.NET.Data;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnDuckDb : ProviderConformance
{
    internal override Task<Subject> ConnectAsync()
    {
        var file = new SqliteFile();
        return Task.FromResult(new Subject(DuckDBClientFactory.Instance, $"Data Source={file.Path}")
        {
            Leftovers =
            [
                ("CREATE TEMP TABLE mine (x INT)", "SELECT COUNT(*) FROM duckdb_tables() WHERE temporary"),
                ("SET VARIABLE owner = 'me'", "SELECT getvariable('owner')"),
                ("CREATE SCHEMA mine; SET search_path = 'mine'", "SELECT current_setting('search_path')"),
            ],
            Setting = ("SET VARIABLE owner = 2", "SET VARIABLE owner = 3", "SELECT getvariable('owner')"),
            Sleep = "SELECT COUNT(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 7",
            Cleanup = () =>
            {
                file.Dispose();
                return default;
            },
        });
    }
}
