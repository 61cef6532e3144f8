using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Data.Extensions;

namespace Poolhouse.Extensions.Tests.Data;

/// <summary>Pools of a container that share the sessions of a server with other instances.</summary>
public sealed class SharedServers
{
    private const string Nowhere = "Host=127.0.0.1;Port=1;Username=u";

    private readonly Apps _apps = new();

    [Fact]
    public void Pools_with_the_same_name_of_a_budget_share_one()
    {
        var services = new ServiceCollection();
        services.AddPooledDataSource(NpgsqlFactory.Instance, Nowhere, "one").ShareServer("orders");
        services.AddDbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, Nowhere, "two").ShareServer("orders", places: 50);
        services.AddPooledDataSource(NpgsqlFactory.Instance, Nowhere, "three").ShareServer("reports");
        using var provider = services.BuildServiceProvider();

        var budgets = new[] { "one", "two", "three", "four" }.Select(pool =>
        {
            var options = new DbPoolOptions();
            ServerBudgets.Complete(provider, pool, NpgsqlFactory.Instance, Nowhere, options);
            return options.Pool.Budget;
        }).ToList();

        Assert.Equal("orders", Assert.IsType<ServerBudget>(budgets[0]).Name);
        Assert.Same(budgets[0], budgets[1]);
        Assert.Equal("reports", Assert.IsType<ServerBudget>(budgets[2]).Name);
        Assert.Null(budgets[3]);
    }

    [Fact]
    public void An_invalid_name_is_reported_when_the_pool_is_created()
    {
        using var host = _apps.Build(services =>
            services.AddPooledDataSource(NpgsqlFactory.Instance, Nowhere, "one").ShareServer("orders/2"));

        var invalid = Assert.Throws<ArgumentException>(() => host.Services.GetRequiredKeyedService<PooledDataSource>("one"));

        Assert.StartsWith("The name of the budget is 'orders/2'", invalid.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_provider_without_a_list_of_sessions_is_rejected()
    {
        using var host = _apps.Build(services =>
            services.AddDbConnectionPool<SqliteConnection>(SqliteFactory.Instance, "Data Source=:memory:").ShareServer("orders"));

        Assert.Throws<ArgumentException>(() => host.Services.GetRequiredService<DbConnectionPool<SqliteConnection>>());
    }

    [Fact]
    public async Task A_warm_up_and_a_changed_setting_do_not_conflict_with_the_budget()
    {
        using var host = _apps.Build(services => services.AddPooledDataSource(NpgsqlFactory.Instance, Nowhere, "one")
            .ShareServer("orders").WarmUp(5));

        await host.StartAsync(TestContext.Current.CancellationToken);

        Assert.Equal("one", host.Services.GetRequiredKeyedService<PooledDataSource>("one").Name);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }
}
