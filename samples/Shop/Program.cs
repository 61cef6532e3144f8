using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;
using Poolhouse.Extensions;
using Poolhouse.Ldap;
using Poolhouse.Samples.Shop;

var builder = WebApplication.CreateBuilder(args);
var services = builder.Services;

// The database: the catalog is read with plain SQL, and orders are kept with EF Core. Without a server, SQLite has to do for both.
if (builder.Configuration.GetConnectionString("postgres") is { } postgres)
{
    Watched(services.AddPooledDataSource(NpgsqlFactory.Instance, postgres, "shop"));
    Watched(services.AddDbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, postgres, "orders"));
    services.AddDbContextPool<ShopContext>((provider, options) => options
        .UseNpgsql(postgres, npgsql => npgsql.EnableRetryOnFailure())
        .UsePoolhouse(provider.GetRequiredKeyedService<DbConnectionPool<NpgsqlConnection>>("orders")));
    services.AddScoped<IOrderBook, ContextOrderBook>();
}
else
{
    Watched(services.AddPooledDataSource(SqliteFactory.Instance, builder.Configuration.GetConnectionString("sqlite")!, "shop"));
    services.AddSingleton<IOrderBook, SqlOrderBook>();
}

services.AddSingleton<Catalog>();

// The directory, if there is one: without it, nobody needs to log in.
if (builder.Configuration.GetConnectionString("directory") is { } directory)
{
    var options = LdapPoolOptions.Parse(directory);
    options.Pool.Name = "directory";
    services.AddSingleton(_ => new LdapConnectionPool(options));
    services.AddSingleton<ILogin, DirectoryLogin>();
}
else
{
    services.AddSingleton<ILogin, OpenHouse>();
}

// Another company's server: at most four requests at once, however busy the shop is.
services.AddHttpClient<Rates>(nameof(Rates)).AddPoolhouseBulkhead(pool: pool => pool.BindConfiguration("Poolhouse:rates"), name: "rates");

// What is used again within the process.
services.AddPooled<Receipt>();
services.AddSingleton<PrometheusText>();
services.AddSingleton<WaitLog>();

var app = builder.Build();
await app.Services.GetRequiredService<Catalog>().PrepareAsync();
_ = app.Services.GetRequiredService<WaitLog>();

// Every lease shows the route of the request that holds it.
app.UseRouting();
app.Use(async (context, next) =>
{
    using (LeaseLabel.Use((context.GetEndpoint() as RouteEndpoint)?.RoutePattern.RawText ?? "other"))
    {
        await next(context);
    }
});

app.MapShop();
app.MapHealthChecks("/health");
app.MapGet("/metrics", (PrometheusText text) => text.Write());
app.MapGet("/pools", (IPools pools) => pools.Select(pool => new { pool.Name, pool.ReloadRejection, pool.Pool.GetStatistics().Leased, Holders = pool.Pool.GetLeases(5).Select(lease => lease.Label) }));
await app.RunAsync();

static void Watched(PoolBuilder<DbPoolOptions> pool) => pool
    .BindConfiguration($"Poolhouse:{pool.Name}")
    .WarmUp(2, WarmUpMode.BeforeStart)
    .DrainOnShutdown()
    .AddHealthCheck();
