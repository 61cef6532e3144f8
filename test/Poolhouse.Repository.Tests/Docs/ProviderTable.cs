using Poolhouse.Data;

namespace Poolhouse.Repository.Tests.Docs;

public sealed class ProviderTable
{
    // The tests that prove a row. A provider without any is "not tested".
    private static readonly Dictionary<string, string> _tests = new(StringComparer.Ordinal)
    {
        ["Npgsql"] = "OnNpgsql",
        ["Microsoft.Data.SqlClient"] = "OnSqlClient",
        ["MySqlConnector"] = "OnMySqlConnector",
        ["Microsoft.Data.Sqlite"] = "OnMicrosoftSqlite",
        ["System.Data.SQLite"] = "OnSystemSqlite",
        ["System.Data.Odbc"] = "OnOdbcForPostgreSql",
        ["DuckDB.NET.Data"] = "OnDuckDb",
        ["FirebirdSql.Data.FirebirdClient"] = "OnFirebird",
        ["any other provider"] = "OnAnyOtherProvider",
    };

    [Fact]
    public void The_table_of_providers_says_what_their_profiles_say() => Assert.Equal(
        DbProviderProfile.All.Select(RowOf),
        MarkdownFile.Read("docs", "guides", "databases.md").Table("providers").Select(row => string.Join(" | ", row)));

    private static string RowOf(DbProviderProfile profile) => string.Join(
        " | ",
        profile.Name,
        profile.Guarantee,
        Can(profile, DbProviderLimits.Scopes),
        Can(profile, DbProviderLimits.Cancellation),
        Can(profile, DbProviderLimits.Timeouts),
        _tests.TryGetValue(profile.Name, out var test)
            ? $"[tests](../../test/Poolhouse.Data.Tests/Providers/{test}.cs)"
            : "not tested");

    private static string Can(DbProviderProfile profile, DbProviderLimits what) => profile.Limits.HasFlag(what) ? "no" : "yes";
}
