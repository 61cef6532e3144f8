using System.Data.Common;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Poolhouse.Data;

namespace Poolhouse.Extensions.Tests.Data;

public sealed class DataSources
{
    private const string InMemory = "Data Source=:memory:";

    private readonly Apps _apps = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_default_data_source_is_resolved_by_its_base_type_and_gives_connections()
    {
        using var host = _apps.Build(services => services.AddPooledDataSource(SqliteFactory.Instance, InMemory));
        await host.StartAsync(Token);
        var source = host.Services.GetRequiredService<DbDataSource>();

        Assert.Same(source, host.Services.GetRequiredService<PooledDataSource>());
        await using var scope = host.Services.CreateAsyncScope();
        var connection = scope.ServiceProvider.GetRequiredService<DbConnection>();
        await connection.OpenAsync(Token);
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT 42";
        Assert.Equal(42L, await command.ExecuteScalarAsync(Token));
        Assert.Equal(1, ((PooledDataSource)source).GetStatistics().Leased);
        await scope.DisposeAsync();
        Assert.Equal(0, ((PooledDataSource)source).GetStatistics().Leased);
        await host.StopAsync(Token);
    }

    [Fact]
    public void A_connection_string_that_the_configuration_does_not_have_is_named_as_the_cause()
    {
        using var host = _apps.Build(services => services.AddPooledDataSource(SqliteFactory.Instance, _ => null!, "late"));
        string? missing = null;

        foreach (var exception in new[]
        {
            Assert.Throws<ArgumentNullException>(
                () => new ServiceCollection().AddPooledDataSource(SqliteFactory.Instance, missing!)),
            Assert.Throws<ArgumentNullException>(
                () => new ServiceCollection().AddDbConnectionPool<SqliteConnection>(SqliteFactory.Instance, missing!)),
        })
        {
            Assert.Equal("connectionString", exception.ParamName);
            Assert.Contains("check that ConnectionStrings contains its name", exception.Message, StringComparison.Ordinal);
        }

        Assert.StartsWith(
            "Pool 'late' (AddPooledDataSource): The connection string is null. If it comes from the configuration, check that " +
            "ConnectionStrings contains its name.",
            Assert.Throws<OptionsValidationException>(() => host.Services.GetRequiredKeyedService<PooledDataSource>("late")).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Connections_that_are_not_pooled_on_purpose_are_not_logged_as_failures()
    {
        var apps = new Apps { Log = new LogRecorder { Lowest = LogLevel.Debug } };
        using var host = apps.Build(services =>
            services.AddPooledDataSource(SqliteFactory.Instance, InMemory, configure: options => options.Pool.MaxSize = 1));
        await host.StartAsync(Token);
        var source = host.Services.GetRequiredService<PooledDataSource>();
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
        }

        await source.DisposeAsync();
        await apps.Log.WaitForAsync(1011, 3, Token);
        Assert.InRange(apps.Log.Of(1011).Count(entry => entry.Text.EndsWith(": Expired.", StringComparison.Ordinal)), 2, 3);
        Assert.DoesNotContain(apps.Log.Entries, entry => entry.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task A_callback_of_the_application_prepares_each_connection_before_its_first_user()
    {
        using var host = _apps.Build(services =>
        {
            services.AddSingleton(new DbCredential("tenant", Password: null));
            services.AddPooledDataSource(SqliteFactory.Instance, InMemory, "orders").Configure(PrepareConnections)
                .WarmUp(2, WarmUpMode.OrFailStart);
            services.AddDbConnectionPool<SqliteConnection>(SqliteFactory.Instance, InMemory, "reports").Configure(PrepareConnections);
        });
        await host.StartAsync(Token);

        await using (var connection = await host.Services.GetRequiredKeyedService<PooledDataSource>("orders")
            .OpenConnectionAsync(Token))
        {
            await AssertPreparedAsync(connection);
        }

        await using var lease = await host.Services.GetRequiredKeyedService<DbConnectionPool<SqliteConnection>>("reports")
            .RentAsync(Token);
        await AssertPreparedAsync(lease.Value);

        static async Task AssertPreparedAsync(DbConnection connection)
        {
            await using var command = connection.CreateCommand();
            command.CommandText = "SELECT tenant()";
            Assert.Equal("tenant", await command.ExecuteScalarAsync(Token));
        }
    }

    [Fact]
    public async Task A_connection_that_cannot_be_prepared_stops_a_start_that_insists_on_a_warm_pool()
    {
        using var host = _apps.Build(services => services
            .AddPooledDataSource(SqliteFactory.Instance, InMemory, "orders", options =>
            {
                options.Initialize = (_, _) => throw new InvalidOperationException("no tenant");
                options.Pool.OutageTimeout = TimeSpan.Zero;
            })
            .WarmUp(1, WarmUpMode.OrFailStart));

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync(Token));

        Assert.Equal("no tenant", failure.Message);
    }

    [Fact]
    public async Task A_changed_limit_is_applied_although_the_app_sets_callbacks_anew()
    {
        _apps.Settings["Poolhouse:orders:Pool:MaxSize"] = "3";
        using var host = _apps.Build(services => services
            .AddPooledDataSource(SqliteFactory.Instance, InMemory, "orders")
            .Configure((provider, options) =>
                options.Credentials = _ => new ValueTask<DbCredential>((DbCredential)provider.GetService(typeof(DbCredential))!))
            .Configure(PrepareConnections)
            .BindConfiguration());
        await host.StartAsync(Token);

        Apps.Change(host, "Poolhouse:orders:Pool:MaxSize", "5");
        _apps.Time.Advance(TimeSpan.FromSeconds(1));

        var pool = Assert.Single(host.Services.GetRequiredService<IPools>());
        Assert.Null(pool.ReloadRejection);
        Assert.Equal(5, pool.GetFigures().MaxLeased);
    }

    [Fact]
    public async Task Named_data_sources_have_their_own_connection_strings_and_settings()
    {
        _apps.Settings["ConnectionStrings:orders"] = InMemory;
        _apps.Settings["Poolhouse:orders:Pool:MaxSize"] = "3";
        _apps.Settings["Poolhouse:orders:ValidationQuery"] = "none";
        using var host = _apps.Build(services =>
        {
            services.AddPooledDataSource(
                SqliteFactory.Instance, provider => provider.GetRequiredService<IConfiguration>().GetConnectionString("orders")!,
                "orders").BindConfiguration();
            services.AddPooledDataSource(SqliteFactory.Instance, InMemory, "reports", options => options.Pool.MaxSize = 2);
        });
        await host.StartAsync(Token);

        var orders = host.Services.GetRequiredKeyedService<PooledDataSource>("orders");
        Assert.Equal(3, orders.GetStatistics().MaxSize);
        Assert.Equal("orders", orders.Name);
        Assert.Equal(2, host.Services.GetRequiredKeyedService<PooledDataSource>("reports").GetStatistics().MaxSize);
        Assert.Same(orders, host.Services.GetRequiredKeyedService<DbDataSource>("orders"));
        Assert.Null(host.Services.GetService<DbDataSource>());
    }

    [Fact]
    public async Task A_pool_of_the_providers_own_connections_is_warmed_up_with_the_host()
    {
        using var host = _apps.Build(services => services
            .AddDbConnectionPool<SqliteConnection>(SqliteFactory.Instance, InMemory, "orders").WarmUp(2, WarmUpMode.OrFailStart)
            .DrainOnShutdown());
        await host.StartAsync(Token);
        var pool = host.Services.GetRequiredKeyedService<DbConnectionPool<SqliteConnection>>("orders");

        Assert.Equal(2, pool.GetStatistics().Idle);
        await host.StopAsync(Token);
        Assert.Single(_apps.Log.Of(1400));
    }

    [Fact]
    public async Task A_changed_setting_is_applied_to_a_data_source_in_use()
    {
        using var host =
            _apps.Build(services => services.AddPooledDataSource(SqliteFactory.Instance, InMemory, "orders").BindConfiguration());
        await host.StartAsync(Token);
        var source = host.Services.GetRequiredKeyedService<PooledDataSource>("orders");
        await using var connection = await source.OpenConnectionAsync(Token);

        Apps.Change(host, "Poolhouse:orders:Pool:MaxSize", "7");
        _apps.Time.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(7, source.GetStatistics().MaxSize);
        Assert.Equal("Pool 'orders' was reconfigured: Pool:MaxSize: 100 -> 7.", Assert.Single(_apps.Log.Of(1300)).Text);
    }

    [Fact]
    public async Task Two_data_sources_that_are_given_the_same_options_keep_their_own_names_and_settings()
    {
        var limits = new ResourcePoolOptions { MaxSize = 4 };
        _apps.Settings["Poolhouse:orders:Pool:MaxSize"] = "3";
        using var host = _apps.Build(services =>
        {
            services.AddPooledDataSource(SqliteFactory.Instance, InMemory, "orders", options => options.Pool = limits)
                .BindConfiguration();
            services.AddPooledDataSource(SqliteFactory.Instance, InMemory, "reports", options => options.Pool = limits);
        });
        await host.StartAsync(Token);
        var orders = host.Services.GetRequiredKeyedService<PooledDataSource>("orders");
        var reports = host.Services.GetRequiredKeyedService<PooledDataSource>("reports");
        Assert.Equal(
            ("orders", 3, "reports", 4),
            (orders.Name, orders.GetStatistics().MaxSize, reports.Name, reports.GetStatistics().MaxSize));

        Apps.Change(host, "Poolhouse:orders:Pool:MaxSize", "7");
        _apps.Time.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal((7, 4), (orders.GetStatistics().MaxSize, reports.GetStatistics().MaxSize));
        Assert.Equal("Pool 'orders' was reconfigured: Pool:MaxSize: 3 -> 7.", Assert.Single(_apps.Log.Of(1300)).Text);
    }

    [Fact]
    public async Task A_changed_validation_query_is_logged_without_its_text()
    {
        using var host =
            _apps.Build(services => services.AddPooledDataSource(SqliteFactory.Instance, InMemory, "orders").BindConfiguration());
        await host.StartAsync(Token);

        Apps.Change(host, "Poolhouse:orders:ValidationQuery", "SELECT secret");
        _apps.Time.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal("Pool 'orders' was reconfigured: ValidationQuery: changed.", Assert.Single(_apps.Log.Of(1300)).Text);
    }

    [Fact]
    public async Task A_wrong_connection_string_stops_a_start_that_insists_on_a_warm_pool_and_stays_out_of_the_log()
    {
        using var host = _apps.Build(services => services
            .AddPooledDataSource(
                SqliteFactory.Instance, "Data Source=/nowhere/secret.db;Mode=ReadOnly", "orders",
                options => options.Pool.OutageTimeout = TimeSpan.Zero)
            .WarmUp(1, WarmUpMode.OrFailStart));

        await Assert.ThrowsAnyAsync<DbException>(() => host.StartAsync(Token));

        // Observers are notified in the background.
        await Patience.UntilAsync(() => _apps.Log.Of(1100).Count > 0, "the failure is logged");

        Assert.Equal("Poolhouse.Data", Assert.Single(_apps.Log.Of(1100)).Category);
        Assert.DoesNotContain(_apps.Log.Entries, entry => entry.Text.Contains("secret", StringComparison.Ordinal));
    }

    private static void PrepareConnections(IServiceProvider provider, DbPoolOptions options) =>
        options.Initialize = (connection, _) =>
        {
            ((SqliteConnection)connection).CreateFunction("tenant", () => provider.GetRequiredService<DbCredential>().UserName);
            return default;
        };
}
