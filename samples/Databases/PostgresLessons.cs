using System.Data.Common;
using Dapper;
using Npgsql;
using NpgsqlTypes;
using Poolhouse.Data;
using Poolhouse.Servers;

namespace Poolhouse.Samples.Databases;

internal static class PostgresLessons
{
    public static async Task RunAsync(string connectionString)
    {
        await CopyAsync(connectionString);
        await OverDataSourceAsync(connectionString);
        await SeveralHostsAsync(connectionString);
        await RolesAsync(connectionString);
        await AskForCredentialsAsync(connectionString);
        await InitializeAsync(connectionString);
        await ReportAsync(connectionString);
    }

    private static async Task CopyAsync(string connectionString)
    {
        // snippet: db-copy
        await using var pool = new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString);

        await using (var lease = await pool.RentAsync())
        {
            await lease.Value.ExecuteAsync("CREATE TEMP TABLE cups (name TEXT, price INT)");
            await using var importer = await lease.Value.BeginBinaryImportAsync("COPY cups FROM STDIN (FORMAT BINARY)");
            await importer.StartRowAsync();
            await importer.WriteAsync("espresso", NpgsqlDbType.Text);
            await importer.WriteAsync(3, NpgsqlDbType.Integer);
            Console.WriteLine($"Copied {await importer.CompleteAsync()} row.");
        }

        // end snippet
    }

    private static async Task OverDataSourceAsync(string connectionString)
    {
        // snippet: db-over
        var builder = new NpgsqlDataSourceBuilder(connectionString + ";Pooling=false;Enlist=false");
        builder.EnableDynamicJson();
        await using var provider = builder.Build();
        await using var source = PooledDataSource.Create(provider);
        // end snippet

        // snippet: db-per-connection
        var settings = new NpgsqlDataSourceBuilder(connectionString + ";Enlist=false");
        settings.EnableDynamicJson();
        await using var cheap = PooledDataSource.Create(() => settings.Build());
        // end snippet

        // snippet: db-unwrap
        await using var connection = await source.OpenConnectionAsync();
        var npgsql = connection.Unwrap<NpgsqlConnection>();
        Console.WriteLine($"PostgreSQL, 12 or later: {npgsql.PostgreSqlVersion.Major >= 12}.");
        // end snippet
    }

    private static async Task SeveralHostsAsync(string connectionString)
    {
        await using var first = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        await using var second = NpgsqlDataSource.Create(connectionString + ";Pooling=false");

        // snippet: db-hosts
        await using var source = PooledDataSource.Create(
            [first, second],
            new ServerSetOptions { Selection = ServerSelection.Ordered, FailBackAge = TimeSpan.FromMinutes(1) });
        await using var connection = await source.OpenConnectionAsync();
        foreach (var host in source.Servers!.GetStatistics())
        {
            Console.WriteLine($"{host.Health}: {host.Items} connections.");
        }

        // end snippet
    }

    private static async Task RolesAsync(string connectionString)
    {
        await using var first = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        await using var second = NpgsqlDataSource.Create(connectionString + ";Pooling=false");

        // snippet: db-roles
        // What one pool learns about a host, the other knows too.
        var hosts = new ServerSet<DbDataSource>([first, second]);
        await using var writing = PooledDataSource.Create(hosts, new DbPoolOptions { RequiredRole = RequiredRole.Primary });
        await using var reading = PooledDataSource.Create(hosts, new DbPoolOptions { RequiredRole = RequiredRole.PreferStandby });
        // end snippet

        await using var connection = await writing.OpenConnectionAsync();
        Console.WriteLine($"A primary: {!await connection.ExecuteScalarAsync<bool>("SELECT pg_is_in_recovery()")}.");
    }

    private static async Task AskForCredentialsAsync(string connectionString)
    {
        var vault = new Vault();

        // snippet: db-credentials
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance,
            connectionString,
            new DbPoolOptions
            {
                Credentials = async token => new DbCredential(UserName: null, Password: await vault.ReadPasswordAsync(token)),
                CredentialSpread = TimeSpan.FromSeconds(30),
            });
        // end snippet
        await using var connection = await source.OpenConnectionAsync();
        Console.WriteLine($"Asked for {vault.Asked} password.");
    }

    private static async Task InitializeAsync(string connectionString)
    {
        // snippet: db-initialize
        var options = new DbPoolOptions
        {
            Initialize = async (connection, cancellationToken) =>
            {
                await using var prepare = connection.CreateCommand();
                prepare.CommandText = "SET search_path = shop, public; SET app.tenant = 'cups'";
                await prepare.ExecuteNonQueryAsync(cancellationToken);
            },
        };
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString, options);
        // end snippet
        for (var i = 0; i < 2; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
            Console.WriteLine($"Tenant {await connection.ExecuteScalarAsync<string>("SELECT current_setting('app.tenant')")}.");
        }
    }

    private static async Task ReportAsync(string connectionString)
    {
        await using var pool = new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString);

        // snippet: db-report
        await using var lease = await pool.RentAsync();
        try
        {
            await lease.Value.ExecuteAsync("SELECT 1 / 0");
        }
        catch (NpgsqlException failure)
        {
            Console.WriteLine($"{pool.ObserveFailure(lease, failure)}: the session is intact.");
        }

        // end snippet
    }
}
