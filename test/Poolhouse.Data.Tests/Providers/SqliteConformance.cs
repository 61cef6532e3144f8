using System.Globalization;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>For the providers of SQLite.</summary>
public abstract class SqliteConformance : EmbeddedConformance
{
    private protected static IReadOnlyList<(string, string)> Leftovers { get; } =
    [
        ("PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys"),
        ("CREATE TEMP TABLE mine (x)", "SELECT COUNT(*) FROM sqlite_temp_master"),
        ("ATTACH ':memory:' AS other", "SELECT COUNT(*) FROM pragma_database_list WHERE name <> 'temp'"),
    ];

    internal override Task<Subject> ConnectAsync() => Task.FromResult(
        new Subject(Factory, $"Data Source={Database.Path};Foreign Keys=True")
        {
            Leftovers = Leftovers,
            Setting = ("PRAGMA cache_size = 2", "PRAGMA cache_size = 3", "PRAGMA cache_size"),
        });

    private protected abstract System.Data.Common.DbProviderFactory Factory { get; }

    // The first row is inserted at once.
    private protected override string Busy(long rows) => string.Create(
        CultureInfo.InvariantCulture,
        $"INSERT INTO cups WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {rows}) " +
        $"SELECT x FROM n WHERE x = 1");

    private protected override bool IsBusy => File.Exists(Database.Path + "-journal");
}
