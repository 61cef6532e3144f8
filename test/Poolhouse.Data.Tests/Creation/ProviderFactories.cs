using System.Data;
using System.Data.Common;
using Dapper;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>Existing code that creates its connections with a provider factory.</summary>
public sealed class ProviderFactories(PostgresServer server)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task One_connection_string_has_one_pool(bool synchronous)
    {
        var database = await server.CreateDatabaseAsync();
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance);
        var pids = new List<int>();
        for (var i = 0; i < 3; i++)
        {
            pids.Add(await ReadPidAsync(factory, database + ";Maximum Pool Size=1", synchronous));
        }

        var other = await ReadPidAsync(factory, database + ";Maximum Pool Size=2", synchronous);

        Assert.Single(pids.Distinct());
        Assert.DoesNotContain(other, pids);
        Assert.Equal([1, 2], factory.Sources.Select(source => source.GetStatistics().MaxSize).Order());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task With_Pooling_false_each_open_creates_a_connection(bool synchronous)
    {
        var database = await server.CreateDatabaseAsync();
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance);
        var pids = new List<int>();
        for (var i = 0; i < 3; i++)
        {
            pids.Add(await ReadPidAsync(factory, database + ";Pooling=false", synchronous));
        }

        Assert.Equal(3, pids.Distinct().Count());
        Assert.Empty(factory.Sources);
    }

    [Fact]
    public void A_connection_without_a_string_reports_what_is_missing()
    {
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        using var connection = factory.CreateConnection();

        Assert.Equal(string.Empty, connection.ConnectionString);
        Assert.Equal(ConnectionState.Closed, connection.State);
        Assert.Contains(
            "Set ConnectionString", Assert.Throws<InvalidOperationException>(connection.Open).Message, StringComparison.Ordinal);
        connection.ConnectionString = "Data Source=:memory:";
        connection.Open();
        Assert.Throws<InvalidOperationException>(() => connection.ConnectionString = "Data Source=other");
    }

    [Fact]
    public async Task The_connection_string_cannot_be_changed_while_the_connection_is_being_opened()
    {
        using var file = new SqliteFile();
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        var connectionString = file.ConnectionString.Replace("Pooling=false", "Max Pool Size=1", StringComparison.Ordinal);
        await using var held = factory.CreateConnection();
        held.ConnectionString = connectionString;
        await held.OpenAsync(TestContext.Current.CancellationToken);
        await using var connection = factory.CreateConnection();
        connection.ConnectionString = connectionString;
        var opening = connection.OpenAsync(TestContext.Current.CancellationToken);

        Assert.Throws<InvalidOperationException>(() => connection.ConnectionString = "Data Source=other");
        Assert.Equal(held.ConnectionString, connection.ConnectionString);
        await held.CloseAsync();
        await opening;
    }

    [Fact]
    public void A_command_may_be_created_before_its_connection()
    {
        using var file = new SqliteFile();
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        using var command = factory.CreateCommand();
        command.CommandText = "SELECT @answer";
        var parameter = factory.CreateParameter()!;
        parameter.ParameterName = "@answer";
        parameter.Value = 42;
        command.Parameters.Add(parameter);
        using var connection = factory.CreateConnection();
        connection.ConnectionString = file.ConnectionString.Replace("Pooling=false", "Max Pool Size=1", StringComparison.Ordinal);
        command.Connection = connection;
        connection.Open();

        Assert.Equal(42L, command.ExecuteScalar());
    }

    [Fact]
    public void A_data_adapter_fills_a_table()
    {
        using var file = new SqliteFile();
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        using var connection = factory.CreateConnection();
        connection.ConnectionString = file.ConnectionString;
        using var adapter = factory.CreateDataAdapter();
        adapter.SelectCommand = connection.CreateCommand();
        adapter.SelectCommand.CommandText = "SELECT 1 AS one UNION SELECT 2";
        using var table = new DataTable();

        Assert.Equal(2, adapter.Fill(table));
        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Fact]
    public void It_can_be_registered_in_place_of_the_providers_factory()
    {
        using var file = new SqliteFile();
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        DbProviderFactories.RegisterFactory("Poolhouse.Data.Tests", factory);
        try
        {
            using var connection = DbProviderFactories.GetFactory("Poolhouse.Data.Tests").CreateConnection()!;
            connection.ConnectionString = file.ConnectionString;
            Assert.Equal(1, connection.QuerySingle<int>("SELECT 1"));
        }
        finally
        {
            DbProviderFactories.UnregisterFactory("Poolhouse.Data.Tests");
        }
    }

    [Fact]
    public void Its_connections_return_it_as_their_factory()
    {
        using var file = new SqliteFile();
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        using var connection = factory.CreateConnection();
        Assert.Same(factory, DbProviderFactories.GetFactory(connection));
        connection.ConnectionString = file.ConnectionString;
        Assert.Same(factory, DbProviderFactories.GetFactory(connection));
        using var source = PooledDataSource.Create(
            SqliteFactory.Instance, file.ConnectionString.Replace("Pooling=false", "Max Pool Size=1", StringComparison.Ordinal));
        using var other = source.CreateConnection();
        Assert.Same(SqliteFactory.Instance, DbProviderFactories.GetFactory(other));
    }

    [Fact]
    public void A_string_copied_from_a_connection_selects_the_same_pool()
    {
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance);
        using var first = factory.CreateConnection();
        first.ConnectionString = "Host=h;Username=u;Maximum Pool Size=3;Minimum Pool Size=0";
        using var second = factory.CreateConnection();

        second.ConnectionString = first.ConnectionString;

        Assert.Equal(3, Assert.Single(factory.Sources).GetStatistics().MaxSize);
        Assert.Equal(first.ConnectionString, second.ConnectionString);
    }

    [Fact]
    public void A_string_copied_without_its_password_keeps_the_pool_settings()
    {
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance);
        using var first = factory.CreateConnection();
        first.ConnectionString = "Host=h;Username=u;Password=hidden;Maximum Pool Size=3";
        using var second = factory.CreateConnection();

        second.ConnectionString = first.ConnectionString;

        Assert.DoesNotContain("hidden", first.ConnectionString, StringComparison.Ordinal);
        Assert.Equal([3, 3], factory.Sources.Select(source => source.GetStatistics().MaxSize));
    }

    [Fact]
    public async Task A_command_takes_the_timeout_of_its_new_connection()
    {
        var database = await server.GetConnectionStringAsync();
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance);
        await using var first = Connect(factory, database + ";Command Timeout=77");
        await using var second = Connect(factory, database + ";Command Timeout=33");
        await using var ownFirst = Connect(NpgsqlFactory.Instance, database + ";Command Timeout=77");
        await using var ownSecond = Connect(NpgsqlFactory.Instance, database + ";Command Timeout=33");
        await using var command = factory.CreateCommand();
        await using var own = NpgsqlFactory.Instance.CreateCommand();
        foreach (var open in new[] { false, true })
        {
            foreach (var (connection, ownConnection) in new[] { (first, ownFirst), (second, ownSecond) })
            {
                (command.Connection, own.Connection) = (connection, ownConnection);
                if (open)
                {
                    await connection.OpenAsync();
                    await ownConnection.OpenAsync();
                    command.CommandText = own.CommandText = "SELECT 1";
                    Assert.Equal(await own.ExecuteScalarAsync(), await command.ExecuteScalarAsync());
                }

                Assert.Equal(own.CommandTimeout, command.CommandTimeout);
            }
        }

        (command.Connection, own.Connection) = (first, ownFirst);
        command.CommandTimeout = own.CommandTimeout = 5;
        (command.Connection, own.Connection) = (second, ownSecond);
        Assert.Equal(own.CommandTimeout, command.CommandTimeout);
    }

    [Fact]
    public async Task Without_a_connection_string_no_connection_is_opened_ahead_of_demand()
    {
        using var db = new FakeDb();
        using var factory = new PooledProviderFactory(
            new FakeFactory(db), new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 2, MinIdle = 1 } });
        await using var connection = factory.CreateConnection();
        connection.ConnectionString = "Host=fake";
        var source = Assert.Single(factory.Sources);
        await Patience.UntilAsync(
            () => ValueTask.FromResult(source.GetStatistics().Idle), static idle => idle == 1, "the minimum is idle");

        Assert.Equal(1, db.CountOf("connection.Open"));
    }

    [Fact]
    public void A_rejected_string_creates_no_pool()
    {
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance);
        using var connection = factory.CreateConnection();

        Assert.Throws<ArgumentException>(() => connection.ConnectionString = "Host=h;Maximum Pool Size=0");
        Assert.ThrowsAny<ArgumentException>(() => connection.ConnectionString = "No Such Keyword=1");
        Assert.Empty(factory.Sources);
    }

    [Fact]
    public void After_disposal_nothing_is_opened_and_open_connections_keep_working()
    {
        using var file = new SqliteFile();
        var factory = new PooledProviderFactory(SqliteFactory.Instance);
        using var connection = factory.CreateConnection();
        connection.ConnectionString = file.ConnectionString.Replace(";Pooling=false", string.Empty, StringComparison.Ordinal);
        connection.Open();
        factory.Dispose();

        Assert.Equal(1, connection.QuerySingle<int>("SELECT 1"));
        connection.Close();
        Assert.Throws<ObjectDisposedException>(connection.Open);
        Assert.Throws<ObjectDisposedException>(factory.CreateConnection);
    }

    [Fact]
    public void A_common_name_for_all_pools_is_rejected() =>
        Assert.Throws<ArgumentException>(() => new PooledProviderFactory(
            SqliteFactory.Instance, new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, Name = "one" } }));

    private static DbConnection Connect(DbProviderFactory factory, string connectionString)
    {
        var connection = factory.CreateConnection()!;
        connection.ConnectionString = connectionString;
        return connection;
    }

    private static async Task<int> ReadPidAsync(PooledProviderFactory factory, string connectionString, bool synchronous)
    {
        await using var connection = factory.CreateConnection();
        connection.ConnectionString = connectionString;
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT pg_backend_pid()";
        if (synchronous)
        {
            connection.Open();
            return (int)command.ExecuteScalar()!;
        }

        await connection.OpenAsync(TestContext.Current.CancellationToken);
        return (int)(await command.ExecuteScalarAsync(TestContext.Current.CancellationToken))!;
    }
}
