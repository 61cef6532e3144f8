using Npgsql;
using Poolhouse.Tool.Fleet;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Tests.Fleet;

public sealed class OnAServer
{
    [Fact]
    public async Task Sessions_are_read_by_their_names_with_an_account_that_may_nothing_else()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        var token = TestContext.Current.CancellationToken;
        await using var server = await TemporaryPostgres.StartAsync(
            new TemporaryPostgresOptions { MaxConnections = 30 }, token);
        var password = ServerPassword.Create();
        await using (var superuser = NpgsqlDataSource.Create(server.ConnectionString + ";Pooling=false"))
        {
            await using var create = superuser.CreateCommand(
                $"CREATE USER app PASSWORD '{password}' CONNECTION LIMIT 12; CREATE USER viewer PASSWORD '{password}'");
            await create.ExecuteNonQueryAsync(token);
        }

        List<NpgsqlConnection> sessions = [];
        foreach (var name in (string[])["ph/orders/1111aaaa/w8h2", "shop ph/orders/1111aaaa", "shop ph/orders/1111aaaa", "psql"])
        {
            var session = new NpgsqlConnection(StringFor("app", name));
            await session.OpenAsync(token);
            sessions.Add(session);
        }

        await using var viewer = NpgsqlDataSource.Create(StringFor("viewer", "viewer"));
        var found = await FleetServer.Of("npgsql").ReadAsync(viewer, token);

        Assert.Equal(
            [
                new FleetInstance("app", 12, "orders", "1111aaaa", found[0].Host, Held: 2, Wanted: 8, ServerLimit: 27),
                new FleetInstance("app", 12, Budget: null, Member: null, found[1].Host, Held: 1, Wanted: null, ServerLimit: 27),
            ],
            found);
        Assert.Equal("Role app: 4 of 12 places are used.", FleetReport.Describe(FleetServer.Of("npgsql"), found)[0]);
        foreach (var session in sessions)
        {
            await session.DisposeAsync();
        }

        string StringFor(string user, string name) => new NpgsqlConnectionStringBuilder(server.ConnectionString)
        {
            Username = user,
            Password = password,
            ApplicationName = name,
            Pooling = false,
        }.ConnectionString;
    }
}
