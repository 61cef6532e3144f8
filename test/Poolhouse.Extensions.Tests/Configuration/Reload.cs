using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Extensions.Tests.Configuration;

public sealed class Reload
{
    private static readonly TimeSpan _debounce = ReloadWatcher<ResourcePoolOptions>.Debounce;

    private readonly Apps _apps = new();

    [Fact]
    public async Task A_changed_section_is_applied_to_the_living_pool_and_logged()
    {
        using var host = await StartAsync();
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        await using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);

        Apps.Change(host, "Poolhouse:main:MaxSize", "5");
        _apps.Time.Advance(_debounce);

        Assert.Equal(5, pool.GetStatistics().MaxSize);
        Assert.True(lease.IsActive);
        Assert.Equal("Pool 'main' was reconfigured: MaxSize: 2 -> 5.", Assert.Single(_apps.Log.Of(1300)).Text);
    }

    [Fact]
    public async Task Changes_in_quick_succession_are_applied_once_after_the_last()
    {
        using var host = await StartAsync();
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");

        Apps.Change(host, "Poolhouse:main:MaxSize", "5");
        _apps.Time.Advance(_debounce / 2);
        Apps.Change(host, "Poolhouse:main:MaxSize", "6");
        _apps.Time.Advance(_debounce / 2);
        Assert.Equal(2, pool.GetStatistics().MaxSize);
        _apps.Time.Advance(_debounce / 2);

        Assert.Equal(6, pool.GetStatistics().MaxSize);
        Assert.Single(_apps.Log.Of(1300));
    }

    [Fact]
    public async Task A_change_elsewhere_in_the_configuration_changes_nothing()
    {
        using var host = await StartAsync();

        Apps.Change(host, "Somewhere:else", "1");
        _apps.Time.Advance(_debounce);

        Assert.Empty(_apps.Log.Of(1300));
    }

    [Theory]
    [InlineData("MaxSize", "0", "MaxSize is 0")]
    [InlineData("MaxSize", "few", "Poolhouse:main:MaxSize is \"few\"; allowed: an integer.")]
    [InlineData("MaxSzie", "4", "Poolhouse:main:MaxSzie is not a setting")]
    [InlineData("IdleOrder", "Fifo", "because it cannot be changed")]
    public async Task A_rejected_change_keeps_the_pool_running_and_is_reported_until_it_is_repaired(
        string key, string value, string reason)
    {
        using var host = await StartAsync();
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        var info = Assert.Single(host.Services.GetRequiredService<IPools>());

        Apps.Change(host, "Poolhouse:main:" + key, value);
        _apps.Time.Advance(_debounce);

        Assert.Equal(2, pool.GetStatistics().MaxSize);
        (await pool.RentAsync(TestContext.Current.CancellationToken)).Dispose();
        Assert.Contains(reason, info.ReloadRejection, StringComparison.Ordinal);
        var entry = Assert.Single(_apps.Log.Of(1301));
        Assert.Equal(LogLevel.Warning, entry.Level);
        Assert.Contains(reason, entry.Text, StringComparison.Ordinal);

        Apps.Change(host, "Poolhouse:main:" + key, key switch { "MaxSize" => "2", "IdleOrder" => "Lifo", _ => null });
        if (value is "4")
        {
            // A key of a memory source cannot be removed by setting it to null; an empty value is still an unknown key.
            return;
        }

        _apps.Time.Advance(_debounce);
        Assert.Null(info.ReloadRejection);
    }

    [Fact]
    public async Task A_change_that_cannot_be_logged_is_applied_and_not_reported_as_rejected()
    {
        using var logging = new ThrowingProvider(1300);
        using var host = await StartAsync(services => services.AddLogging(log => log.AddProvider(logging)));

        Apps.Change(host, "Poolhouse:main:MaxSize", "5");
        _apps.Time.Advance(_debounce);

        Assert.Equal(5, host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main").GetStatistics().MaxSize);
        Assert.Null(Assert.Single(host.Services.GetRequiredService<IPools>()).ReloadRejection);
        Assert.Empty(_apps.Log.Of(1301));
    }

    [Fact]
    public async Task A_change_while_the_pool_is_created_is_applied()
    {
        _apps.Settings["Poolhouse:main:MaxSize"] = "2";
        using var host = _apps.Build(services => services.AddResourcePool(
            provider =>
            {
                var root = (IConfigurationRoot)provider.GetRequiredService<IConfiguration>();
                root["Poolhouse:main:MaxSize"] = "5";
                root.Reload();
                return ResourcePolicy.Create(Link.OpenAsync);
            },
            "main").BindConfiguration());
        await host.StartAsync(TestContext.Current.CancellationToken);
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        Assert.Equal(2, pool.GetStatistics().MaxSize);

        _apps.Time.Advance(_debounce);

        Assert.Equal(5, pool.GetStatistics().MaxSize);
    }

    [Fact]
    public async Task A_change_after_the_host_has_stopped_is_ignored()
    {
        var host = await StartAsync();
        await host.StopAsync(TestContext.Current.CancellationToken);
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        var root = host.Services.GetRequiredService<IConfiguration>();
        await ((IAsyncDisposable)host).DisposeAsync();

        root["Poolhouse:main:MaxSize"] = "9";
        ((IConfigurationRoot)root).Reload();
        _apps.Time.Advance(_debounce);

        Assert.Equal(2, pool.GetStatistics().MaxSize);
        Assert.Empty(_apps.Log.Of(1301));
    }

    private async Task<IHost> StartAsync(Action<IServiceCollection>? configure = null)
    {
        _apps.Settings["Poolhouse:main:MaxSize"] = "2";
        var host = _apps.Build(services =>
        {
            configure?.Invoke(services);
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "main").BindConfiguration();
        });
        await host.StartAsync(TestContext.Current.CancellationToken);
        return host;
    }
}
