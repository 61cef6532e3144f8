#pragma warning disable EF1001 // Its namespace has the name of those of Entity Framework.
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore.Internal;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>What a context does not do again because it uses a pool.</summary>
public sealed class ContextCosts : IDisposable
{
    private readonly DbConnectionPool<NpgsqlConnection> _pool = new(NpgsqlFactory.Instance, "Host=127.0.0.1");

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void Contexts_with_the_same_options_read_them_once()
    {
        var options = CreateOptions();
        var extension = options.FindExtension<PoolOptionsExtension>()!;

        Assert.Same(extension.SettingsOf(options), extension.SettingsOf(options));
        Assert.True(extension.SettingsOf(options).HasConnectionString);

        using var provider = NpgsqlDataSource.Create("Host=127.0.0.1");
        Assert.False(extension.SettingsOf(new DbContextOptionsBuilder<Shop>().UseNpgsql(provider).Options).HasConnectionString);
    }

    [Fact]
    public void A_context_has_one_interceptor_for_its_connection_and_its_commands()
    {
        using var shop = new Shop(CreateOptions());

        var interceptor = Assert.Single(shop.GetService<IEnumerable<IInterceptor>>());

        Assert.IsAssignableFrom<IDbConnectionInterceptor>(interceptor);
        Assert.IsAssignableFrom<IDbCommandInterceptor>(interceptor);
    }

    private DbContextOptions<Shop> CreateOptions() =>
        new DbContextOptionsBuilder<Shop>().UseNpgsql("Host=127.0.0.1").UsePoolhouse(_pool).Options;
}
