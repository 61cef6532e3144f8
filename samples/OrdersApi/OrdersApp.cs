using System.Data.Common;
using Dapper;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data;

namespace Poolhouse.Samples.OrdersApi;

/// <summary>A minimal API with Dapper, on SQLite or, with <c>--postgres "connection string"</c>, on PostgreSQL.</summary>
public static class OrdersApp
{
    /// <summary>
    /// Builds the app: <c>--urls</c> sets the addresses, <c>--sqlite</c> and <c>--postgres</c> the database.
    /// </summary>
    public static WebApplication Build(params string[] args)
    {
        var builder = WebApplication.CreateSlimBuilder(args);
        builder.Logging.ClearProviders();
        builder.WebHost.UseSetting(WebHostDefaults.ServerUrlsKey, builder.Configuration["urls"] ?? "http://127.0.0.1:0");
        var postgres = builder.Configuration["postgres"];
        var sqlite = builder.Configuration["sqlite"] ?? "Data Source=orders.db";

        // snippet: orders-source
        // The container disposes the services that it creates. Resolving DbDataSource returns the pooled one.
        builder.Services.AddSingleton(_ => postgres is null
            ? PooledDataSource.Create(SqliteFactory.Instance, sqlite)
            : PooledDataSource.Create(NpgsqlFactory.Instance, postgres));
        builder.Services.AddSingleton<DbDataSource>(services => services.GetRequiredService<PooledDataSource>());
        // end snippet

        var app = builder.Build();

        // snippet: orders-endpoints
        app.MapPost("/orders", async (Order order, DbDataSource database) =>
        {
            await using var connection = database.CreateConnection();
            await connection.ExecuteAsync("INSERT INTO orders VALUES (@Customer, @Cup, @Count)", order);
            return Results.Created();
        });
        app.MapGet("/orders/{customer}", async (string customer, DbDataSource database) =>
        {
            await using var connection = database.CreateConnection();
            return await connection.QueryAsync<Order>(
                "SELECT customer, cup, count FROM orders WHERE customer = @customer ORDER BY cup", new { customer });
        });
        app.MapGet("/pool", (PooledDataSource pool) => pool.GetStatistics());
        // end snippet
        return app;
    }

    /// <summary>Makes the table, if it is not there.</summary>
    public static async Task PrepareAsync(WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        await using var connection = app.Services.GetRequiredService<DbDataSource>().CreateConnection();
        await connection.ExecuteAsync("CREATE TABLE IF NOT EXISTS orders (customer TEXT, cup TEXT, count BIGINT)");
    }
}
