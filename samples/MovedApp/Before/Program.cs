using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;

var builder = WebApplication.CreateBuilder(args);
var connectionString = builder.Configuration.GetConnectionString("orders")!;
DbProviderFactory factory = connectionString.Contains("Host=", StringComparison.Ordinal)
    ? NpgsqlFactory.Instance
    : SqliteFactory.Instance;

builder.Services.AddSingleton(_ => factory.CreateDataSource(connectionString));

var app = builder.Build();

app.MapGet("/orders/{id:int}", async (int id, DbDataSource orders, CancellationToken token) =>
{
    await using var command = orders.CreateCommand($"SELECT text FROM orders WHERE id = {id % 1000}");
    return await command.ExecuteScalarAsync(token);
});

// Two queries on one connection.
app.MapGet("/sum", async (DbDataSource orders, CancellationToken token) =>
{
    await using var connection = await orders.OpenConnectionAsync(token);
    await using var command = connection.CreateCommand();
    command.CommandText = "SELECT count(*) FROM orders WHERE id < 100";
    var few = await command.ExecuteScalarAsync(token);
    command.CommandText = "SELECT count(*) FROM orders";
    return $"{few} of {await command.ExecuteScalarAsync(token)}";
});

await FillAsync(app.Services.GetRequiredService<DbDataSource>());
await app.RunAsync();

static async Task FillAsync(DbDataSource orders)
{
    await using var connection = await orders.OpenConnectionAsync();
    await using var command = connection.CreateCommand();
    command.CommandText = "CREATE TABLE IF NOT EXISTS orders (id INT PRIMARY KEY, text TEXT NOT NULL)";
    await command.ExecuteNonQueryAsync();
    for (var id = 0; id < 1000; id++)
    {
        command.CommandText = $"INSERT INTO orders VALUES ({id}, 'order {id}') ON CONFLICT DO NOTHING";
        await command.ExecuteNonQueryAsync();
    }
}
