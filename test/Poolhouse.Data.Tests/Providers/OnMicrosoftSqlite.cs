using Microsoft.Data.Sqlite;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnMicrosoftSqlite : ProviderConformance
{
    internal static IReadOnlyList<(string, string)> SqliteLeftovers { get; } =
    [
        ("PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys"),
        ("CREATE TEMP TABLE mine (x)", "SELECT COUNT(*) FROM sqlite_temp_master"),
        ("ATTACH ':memory:' AS other", "SELECT COUNT(*) FROM pragma_database_list WHERE name <> 'temp'"),
    ];

    internal override Task<Subject> ConnectAsync()
    {
        var file = new SqliteFile();
        return Task.FromResult(new Subject(SqliteFactory.Instance, $"Data Source={file.Path};Foreign Keys=True")
        {
            Leftovers = SqliteLeftovers,
            Setting = ("PRAGMA cache_size = 2", "PRAGMA cache_size = 3", "PRAGMA cache_size"),
            Cleanup = () =>
            {
                file.Dispose();
                return default;
            },
        });
    }
}
