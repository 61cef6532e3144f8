using System.Globalization;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

[assembly: AssemblyFixture(typeof(PostgresServer))]

namespace Poolhouse.Data.Tests.Servers;

/// <summary>The PostgreSQL server that the tests of this assembly share. It starts with the first test that needs it.</summary>
/// <remarks>
/// A test class takes it as an argument of its constructor. A test that breaks its server takes one of its own, with
/// <see cref="StartOwnAsync"/>. If no server is available, the test is skipped with the reason.
/// </remarks>
public sealed class PostgresServer : IAsyncDisposable
{
    // Many tests at once, and a session that was closed counts until its process has ended.
    private static readonly TemporaryPostgresOptions _options = new() { MaxConnections = 400 };

    private readonly Lock _gate = new();
    private Task<TemporaryPostgres>? _server;
    private int _databases;

    /// <summary>The superuser on the database postgres, which all tests share.</summary>
    public async Task<string> GetConnectionStringAsync()
    {
        SkipWithoutServer();
        return (await StartOnceAsync()).ConnectionString;
    }

    /// <summary>
    /// The superuser on a new database, for a test that reads <c>pg_stat_activity</c> or creates tables.
    /// </summary>
    /// <param name="template">
    /// The connection string of a database to copy, which nobody uses any more. Without one, the new database is empty.
    /// </param>
    public async Task<string> CreateDatabaseAsync(string? template = null)
    {
        var connectionString = await GetConnectionStringAsync();
        var name = string.Create(CultureInfo.InvariantCulture, $"test{Interlocked.Increment(ref _databases)}");
        await using var source = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        await using var command = source.CreateCommand(
            $"CREATE DATABASE {name} TEMPLATE {new NpgsqlConnectionStringBuilder(template).Database ?? "template1"}");
        await command.ExecuteNonQueryAsync();
        return new NpgsqlConnectionStringBuilder(connectionString) { Database = name }.ConnectionString;
    }

    /// <summary>
    /// A new, empty database and its owner, who may do nothing else: for a program that takes the connection string on its
    /// command line, which every account of the machine can read.
    /// </summary>
    public async Task<string> CreateOwnedDatabaseAsync()
    {
        var asSuperuser = new NpgsqlConnectionStringBuilder(await CreateDatabaseAsync());
        var owner = $"owner_of_{asSuperuser.Database}";
        var password = ServerPassword.Create();
        await using var source = NpgsqlDataSource.Create(asSuperuser.ConnectionString + ";Pooling=false");
        await using var command = source.CreateCommand(
            $"CREATE USER {owner} PASSWORD '{password}'; ALTER DATABASE {asSuperuser.Database} OWNER TO {owner}");
        await command.ExecuteNonQueryAsync();
        return new NpgsqlConnectionStringBuilder(asSuperuser.ConnectionString)
        {
            Username = owner,
            Password = password,
        }.ConnectionString;
    }

    /// <summary>A server of the test's own, which it may restart, freeze and fill. The test disposes it.</summary>
    internal static Task<TemporaryPostgres> StartOwnAsync(TemporaryPostgresOptions? options = null)
    {
        SkipWithoutServer();
        return TemporaryPostgres.StartAsync(options);
    }

    /// <summary>A PgBouncer before a server. The test disposes it.</summary>
    internal static Task<TemporaryPgBouncer> StartBouncerAsync(TemporaryPostgres server, int poolSize)
    {
        Assert.SkipUnless(TemporaryPgBouncer.TryFind(out var reason), reason);
        return TemporaryPgBouncer.StartAsync(server, poolSize);
    }

    public async ValueTask DisposeAsync()
    {
        // A server that could not be started was reported to the tests that wanted it.
        if (_server is { IsCompletedSuccessfully: true } server)
        {
            await (await server).DisposeAsync();
        }
    }

    private Task<TemporaryPostgres> StartOnceAsync()
    {
        lock (_gate)
        {
            // A start that failed concerns only the tests that waited for it.
            return _server is null or { IsFaulted: true } ? _server = TemporaryPostgres.StartAsync(_options) : _server;
        }
    }

    private static void SkipWithoutServer() => Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
}
