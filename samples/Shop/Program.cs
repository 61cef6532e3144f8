using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;
using Poolhouse.Extensions;
using Poolhouse.Samples.Shop;

var builder = WebApplication.CreateBuilder(args);
var services = builder.Services;

// The database: the catalog is read with plain SQL, and orders are kept with EF Core. Without a server, SQLite has to do for
// both.
if (builder.Configuration.GetConnectionString("postgres") is { } postgres)
{
    Watched(services.AddPooledDataSource(NpgsqlFactory.Instance, postgres, "shop"));
    Watched(services.AddDbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, postgres, "orders"));
    services.AddDbContextPool<ShopContext>((provider, options) => options
        .UseNpgsql(postgres, npgsql => npgsql.ExecutionStrategy(static dependencies => new InterruptedOnly(dependencies)))
        .UsePoolhouse<NpgsqlConnection>(provider, "orders"));
    services.AddScoped<IOrderBook, ContextOrderBook>();
}
else
{
    Watched(services.AddPooledDataSource(SqliteFactory.Instance, builder.Configuration.GetConnectionString("sqlite")!, "shop"));
    services.AddSingleton<IOrderBook, SqlOrderBook>();
}

services.AddSingleton<Catalog>();

// The directory, if there is one: without it, no login is required.
if (builder.Configuration.GetConnectionString("directory") is { } directory)
{
    services.AddLdapPool(_ => directory, "directory").BindConfiguration("Poolhouse:directory").DrainOnShutdown().AddHealthCheck();
    services.AddSingleton<ILogin, DirectoryLogin>();
}
else
{
    services.AddSingleton<ILogin, OpenHouse>();
}

// Another company's server: at most four requests at once, however busy the shop is.
services.AddHttpClient<Rates>(nameof(Rates))
    .AddPoolhouseBulkhead(pool: pool => pool.BindConfiguration("Poolhouse:rates"), name: "rates");

services.AddPoolhouseProblemDetails();

// What is used again within the process.
services.AddPooled<Receipt>();
services.AddSingleton<PrometheusText>();
services.AddSingleton<WaitLog>();

var app = builder.Build();
await app.Services.GetRequiredService<Catalog>().PrepareAsync();
_ = app.Services.GetRequiredService<WaitLog>();
_ = app.Services.GetRequiredService<PrometheusText>();

// A request that a pool could not serve is answered with 503, and every lease shows the route of the request that holds it.
app.UseExceptionHandler();
app.UseRouting();
app.UseLeaseLabels();

app.MapShop();
app.MapDrill();
app.MapHealthChecks("/health");
app.MapGet("/metrics", (PrometheusText text) => Results.Text(text.Write(), "text/plain; version=0.0.4"));
app.MapPoolhouse();
app.MapGet("/", () => Results.Redirect("/pools"));
await app.RunAsync();

static void Watched(PoolBuilder<DbPoolOptions> pool) => pool
    .BindConfiguration($"Poolhouse:{pool.Name}")
    .WarmUp(2, WarmUpMode.BeforeStart)
    .DrainOnShutdown()
    .AddHealthCheck();
