using Poolhouse.Data.Tests.Servers;
using Poolhouse.TestSupport;

namespace Poolhouse.Data.Tests;

/// <summary>The samples of the package, run as users run them.</summary>
public sealed class SampleRuns(PostgresServer server)
{
    private static readonly string[] _onSqlite =
    [
        "1 connection alive, 0 in use.",
        "Cheap: espresso.",
        "The next user finds 0 temporary tables and 1 cup.",
        "Old code: Open.",
        "DbPoolException: worth another try.",
        "SqliteConnection has a profile of its own.",
    ];

    [Fact]
    public async Task Databases_shows_every_lesson_on_SQLite() => Assert.Equal(
        [.. _onSqlite, "The lessons on PostgreSQL need a connection string as the argument."],
        await SampleProcess.RunAsync("Databases"));

    [Fact]
    public async Task Databases_shows_every_lesson_on_PostgreSQL() => Assert.Equal(
        [
            .. _onSqlite,
            "Copied 1 row.",
            "PostgreSQL, 12 or later: True.",
            "Up: 1 connections.",
            "Up: 0 connections.",
            "A primary: True.",
            "Asked for 1 password.",
            "Tenant cups.",
            "Tenant cups.",
            "Statement: the session is intact.",
        ],
        await SampleProcess.RunAsync("Databases", await server.CreateOwnedDatabaseAsync()));

    [Fact]
    public async Task OneChangedLine_runs() =>
        Assert.Equal(["20 visits."], await SampleProcess.RunAsync("OneChangedLine", await server.CreateOwnedDatabaseAsync()));

    [Fact]
    public async Task OrdersApi_answers_on_SQLite()
    {
        using var file = new SqliteFile();
        AssertAnswers(
            await SampleProcess.RunAsync(
                "OrdersApi", "--sqlite",
                file.ConnectionString.Replace(";Pooling=false", string.Empty, StringComparison.Ordinal)));
    }

    [Fact]
    public async Task OrdersApi_answers_on_PostgreSQL() =>
        AssertAnswers(await SampleProcess.RunAsync("OrdersApi", "--postgres", await server.CreateOwnedDatabaseAsync()));

    private static void AssertAnswers(IReadOnlyList<string> lines)
    {
        Assert.Equal(3, lines.Count);
        Assert.Equal(20, lines[1].Split("\"customer\":\"Ada\"").Length - 1);
        Assert.Contains("\"leased\":0", lines[2], StringComparison.Ordinal);
    }
}
