using System.Data.Common;
using System.Globalization;
using Npgsql;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promise I20: pools of several users never cross their identities.</summary>
public sealed class Identities(PostgresServer server)
{
    private const int Callers = 6;
    private const int Rounds = 40;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_lease_of_a_keyed_pool_belongs_to_the_user_in_its_key(bool synchronous)
    {
        var (connectionString, users) = await CreateUsersAsync("keyed" + (synchronous ? "sync" : "async"));
        await using var pool = new KeyedResourcePool<string, NpgsqlConnection>(
            user => new UserPolicy(
                new NpgsqlConnectionStringBuilder(connectionString) { Username = user, Pooling = false }.ConnectionString),
            new KeyedResourcePoolOptions<string> { MaxSize = 3, Pool = new ResourcePoolOptions { MaxSize = 3 } });

        await CallAsync(users, synchronous, async user =>
        {
            using var lease = synchronous ? pool.Rent(user) : await pool.RentAsync(user);
            await CheckAsync(lease.Value, user, synchronous);
        });

        Assert.InRange(pool.GetStatistics().Live, 1, 3);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_connection_of_a_factory_belongs_to_the_user_in_its_string(bool synchronous)
    {
        var (connectionString, users) = await CreateUsersAsync("factory" + (synchronous ? "sync" : "async"));
        using var factory = new PooledProviderFactory(
            NpgsqlFactory.Instance, new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 2 } });

        await CallAsync(users, synchronous, async user =>
        {
            await using var connection = factory.CreateConnection();
            connection.ConnectionString =
                new NpgsqlConnectionStringBuilder(connectionString) { Username = user }.ConnectionString;
            if (synchronous)
            {
#pragma warning disable VSTHRD103, CA1849 // These are the blocking calls.
                connection.Open();
#pragma warning restore VSTHRD103, CA1849
            }
            else
            {
                await connection.OpenAsync();
            }

            await CheckAsync(connection, user, synchronous);
        });

        Assert.Equal(users.Count, factory.Sources.Count);
        Assert.All(factory.Sources, source => Assert.InRange(source.GetStatistics().Rented, Rounds, long.MaxValue));
    }

    /// <summary>Reads the identity of the session, and then changes it in a way that must not reach the next caller.</summary>
    private static async Task CheckAsync(DbConnection connection, string user, bool synchronous)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT current_user || ' ' || session_user; SET ROLE pg_read_all_stats";
#pragma warning disable VSTHRD103, CA1849 // The blocking calls, where they are requested.
        var who = synchronous ? command.ExecuteScalar() : await command.ExecuteScalarAsync();
#pragma warning restore VSTHRD103, CA1849
        Assert.Equal($"{user} {user}", who);
    }

    private static async Task CallAsync(IReadOnlyList<string> users, bool synchronous, Func<string, Task> call)
    {
        await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => synchronous
            ? Task.Factory.StartNew(
                () => RoundsAsync(caller), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
                    .Unwrap()
            : Task.Run(() => RoundsAsync(caller)))));

        async Task RoundsAsync(int caller)
        {
            for (var round = 0; round < Rounds; round++)
            {
                await call(users[(caller + round) % users.Count]);
            }
        }
    }

    private async Task<(string ConnectionString, IReadOnlyList<string> Users)> CreateUsersAsync(string prefix)
    {
        var connectionString = await server.GetConnectionStringAsync();
        await using var watch = new ServerWatch(connectionString);
        var password = new NpgsqlConnectionStringBuilder(connectionString).Password;
        string[] users = [prefix + "_blue", prefix + "_red"];
        foreach (var user in users)
        {
            await watch.ExecuteAsync(
                string.Create(
                    CultureInfo.InvariantCulture, $"CREATE USER {user} PASSWORD '{password}' IN ROLE pg_read_all_stats"));
        }

        return (connectionString, users);
    }

    /// <summary>The pool of one user's connections, as a program that leases by key writes it.</summary>
    private sealed class UserPolicy(string connectionString) : ResourcePolicy<NpgsqlConnection>
    {
        public override async ValueTask<NpgsqlConnection> CreateAsync(CancellationToken cancellationToken)
        {
            var connection = new NpgsqlConnection(connectionString);
            await connection.OpenAsync(cancellationToken);
            return connection;
        }

        public override async ValueTask<bool> ResetAsync(NpgsqlConnection item, CancellationToken cancellationToken) =>
            await SessionReset.PostgreSql.ResetAsync(item, captured: null, cancellationToken);
    }
}
