using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>Contexts find their pool in the application's container. Those that do not query need no server.</summary>
public sealed class RegisteredPools(PostgresServer server)
{
    private const string Nowhere = "Host=localhost;Database=one";

    private readonly ServiceCollection _services = [];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Contexts_rent_from_the_pool_of_the_name(bool isPooled)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        _services.AddDbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, Nowhere, "other");
        _services.AddDbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, database.ConnectionString, "shop", options => options.Pool.MaxSize = 2);
        _ = isPooled ? _services.AddDbContextPool<Shop>(Configure) : _services.AddDbContext<Shop>(Configure);
        await using var provider = _services.BuildServiceProvider(validateScopes: true);

        await Task.WhenAll(Enumerable.Range(0, 12).Select(_ => Task.Run(async () =>
        {
            await using var scope = provider.CreateAsyncScope();
            Assert.Equal(3, await scope.ServiceProvider.GetRequiredService<Shop>().Orders.CountAsync());
        })));

        var statistics = provider.GetRequiredKeyedService<DbConnectionPool<NpgsqlConnection>>("shop").GetStatistics();
        Assert.InRange(statistics.Created, 1, 2);
        Assert.Equal(0, statistics.Leased);

        void Configure(IServiceProvider provider, DbContextOptionsBuilder options) =>
            options.UseNpgsql(database.Unpooled).UsePoolhouse<NpgsqlConnection>(provider, "shop");
    }

    [Fact]
    public void Without_a_name_the_pool_that_has_none_is_used()
    {
        Add("other");
        Add(name: null);

        Assert.Equal("NpgsqlConnection", PoolOf());
    }

    [Fact]
    public void Without_a_name_the_only_named_pool_is_used()
    {
        Add("shop");

        Assert.Equal("shop", PoolOf());
    }

    [Fact]
    public void Without_a_name_a_pool_that_the_app_registered_itself_is_used()
    {
        _services.AddSingleton(_ => new DbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, Nowhere, new DbPoolOptions { Pool = new() { MaxSize = 1, Name = "own" } }));

        Assert.Equal("own", PoolOf());
    }

    [Fact]
    public void Several_named_pools_are_an_error_that_lists_them()
    {
        Add("shop");
        Add("orders");

        Assert.Equal(
            "There are several pools of NpgsqlConnection in the container: 'orders', 'shop'. Pass the name of one of them to " +
            "UsePoolhouse.",
            Assert.Throws<InvalidOperationException>(() => PoolOf()).Message);
    }

    [Fact]
    public void A_missing_pool_is_an_error_that_lists_the_others()
    {
        Assert.Equal(
            "There is no pool of NpgsqlConnection in the container; registered: none. Register it with AddDbConnectionPool.",
            Assert.Throws<InvalidOperationException>(() => PoolOf()).Message);
        Add("orders");
        Add(name: null);
        Assert.Equal(
            "There is no pool of NpgsqlConnection named 'shop' in the container; registered: 'NpgsqlConnection', 'orders'. " +
            "Register it with AddDbConnectionPool.",
            Assert.Throws<InvalidOperationException>(() => PoolOf("shop")).Message);
    }

    private void Add(string? name) => _services.AddDbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, Nowhere, name);

    private string PoolOf(string? name = null)
    {
        using var provider = _services.BuildServiceProvider();
        var options = new DbContextOptionsBuilder().UseNpgsql(Nowhere).UsePoolhouse<NpgsqlConnection>(provider, name).Options;
        var info = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var extension in options.Extensions)
        {
            extension.Info.PopulateDebugInfo(info);
        }

        return info["Poolhouse:Pool"];
    }
}
