using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;
using Poolhouse.Samples.EfCoreApp;

if (args.Length == 0)
{
    Console.WriteLine("Skipped: give the connection string of a PostgreSQL server on which a database may be created.");
    return;
}

var connectionString =
    new NpgsqlConnectionStringBuilder(args[0]) { Database = "poolhouse_sample", Pooling = false }.ConnectionString;
var services = new ServiceCollection();

// snippet: efcore-register
services.AddSingleton(_ => NpgsqlDataSource.Create(connectionString)); // with Pooling=false: one pool is enough
services.AddSingleton(provider => new DbConnectionPool<NpgsqlConnection>(
    provider.GetRequiredService<NpgsqlDataSource>(),
    new DbPoolOptions { Pool = new() { MaxSize = 4, Name = "notes" } }));
services.AddDbContextPool<Notes>((provider, options) => options
    .UseNpgsql(provider.GetRequiredService<NpgsqlDataSource>(), npgsql => npgsql.EnableRetryOnFailure())
    .UsePoolhouse<NpgsqlConnection>(provider));
// end snippet

var provider = services.BuildServiceProvider();
await using (provider)
{
    var pool = provider.GetRequiredService<DbConnectionPool<NpgsqlConnection>>();
    await UseAsync(async notes =>
    {
        await notes.Database.EnsureDeletedAsync();
        await notes.Database.EnsureCreatedAsync();
    });

    // Forty callers, four connections.
    await Task.WhenAll(Enumerable.Range(1, 40).Select(number => UseAsync(async notes =>
    {
        notes.Add(new Note { Text = $"note {number}" });
        await notes.SaveChangesAsync();
    })));
    Console.WriteLine($"{await CountAsync()} notes over {pool.GetStatistics().PeakLive} connections.");

    // snippet: efcore-transaction
    await UseAsync(notes => notes.Database.CreateExecutionStrategy().ExecuteAsync(async () =>
    {
        await using var transaction = await notes.Database.BeginTransactionAsync(); // rents
        await notes.All.Where(note => note.Id > 10).ExecuteDeleteAsync();
        notes.Add(new Note { Text = "the last one" });
        await notes.SaveChangesAsync();
        await transaction.CommitAsync(); // returns
    }));
    // end snippet
    Console.WriteLine($"{await CountAsync()} notes after a transaction.");

    await UseAsync(async notes =>
    {
        // snippet: efcore-connection
        await notes.Database.OpenConnectionAsync();
        try
        {
            var connection = (NpgsqlConnection)notes.Database.GetDbConnection(); // after opening: it is the rented one now
            await using var importer =
                await connection.BeginBinaryImportAsync("COPY \"All\" (\"Text\") FROM STDIN (FORMAT BINARY)");
            await importer.WriteRowAsync(default, "copied");
            await importer.CompleteAsync();
        }
        finally
        {
            await notes.Database.CloseConnectionAsync();
        }
        // end snippet
    });
    Console.WriteLine($"{await CountAsync()} notes after a copy.");

    await UseAsync(notes => notes.Database.EnsureDeletedAsync());
    Console.WriteLine($"{pool.GetStatistics().Leased} leased.");

    async Task UseAsync(Func<Notes, Task> use)
    {
        var scope = provider.CreateAsyncScope();
        await using (scope)
        {
            await use(scope.ServiceProvider.GetRequiredService<Notes>());
        }
    }

    async Task<int> CountAsync()
    {
        var count = 0;
        await UseAsync(async notes => count = await notes.All.CountAsync());
        return count;
    }
}
