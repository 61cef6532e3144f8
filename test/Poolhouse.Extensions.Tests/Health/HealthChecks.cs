using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Poolhouse.Testing;

namespace Poolhouse.Extensions.Tests.Health;

public sealed class HealthChecks
{
    private readonly Apps _apps = new();
    private readonly ScriptedPolicy<Link> _policy = new(() => new Link());

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_idle_pool_is_healthy_and_shows_its_figures_under_its_name_and_tags()
    {
        using var host = await StartAsync();

        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(check => check.Tags.Contains("ready"), Token);

        var entry = Assert.Single(report.Entries);
        Assert.Equal("pool:main", entry.Key);
        Assert.Equal(["pool", "ready"], entry.Value.Tags);
        Assert.Equal(HealthStatus.Healthy, entry.Value.Status);
        Assert.Equal(1L, entry.Value.Data["maxSize"]);
        Assert.Equal(0L, entry.Value.Data["leased"]);
    }

    [Fact]
    public async Task A_busy_pool_is_healthy_and_is_not_rented_from()
    {
        using var host = await StartAsync();
        using var lease = await Pool(host).RentAsync(Token);
        var waiting = Pool(host).RentAsync(Token).AsTask();

        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Healthy, entry.Status);
        Assert.Equal(1L, entry.Data["waiting"]);
        Assert.Equal(1, _policy.Created);
        lease.Dispose();
        (await waiting).Dispose();
        Assert.Equal(2, Pool(host).GetStatistics().Rented);
    }

    [Fact]
    public async Task An_outage_is_unhealthy_if_nothing_is_left_and_degraded_while_items_are_in_use()
    {
        using var host = await StartAsync(configure: options => options.MaxSize = 2);
        var pool = Pool(host);
        var lease = await pool.RentAsync(Token);
        (_policy.Creating.Outcome, _policy.Creating.Failure) = (HookOutcome.Fail, new TimeoutException("secret"));
        var waiting = pool.RentAsync(TimeSpan.FromMilliseconds(1), Token).AsTask();
        await WaitUntilAsync(() => pool.GetStatistics().InOutage);

        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        lease.Discard();
        await WaitUntilAsync(() => pool.GetStatistics() is { Leased: 0, Idle: 0, InOutage: true });
        entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.DoesNotContain("secret", entry.Description, StringComparison.Ordinal);

        _apps.Time.Advance(TimeSpan.FromMilliseconds(1));
        await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
    }

    [Fact]
    public async Task A_suspended_pool_is_degraded()
    {
        using var host = await StartAsync();
        Pool(host).Suspend();

        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(host)).Status);
        Pool(host).Resume();
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task A_lease_that_is_older_than_the_leak_threshold_degrades_until_it_ends()
    {
        using var host = await StartAsync(configure: options => (options.MaxSize, options.LeakThreshold) = (2, TimeSpan.FromMinutes(1)));
        var lease = await Pool(host).RentAsync(Token);
        _apps.Time.Advance(TimeSpan.FromMinutes(1.5));

        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Equal("An item has been leased for 90 s; it may never be returned.", entry.Description);
        lease.Dispose();
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task A_rejected_configuration_is_degraded_and_shows_the_reason()
    {
        using var host = await StartAsync();
        Apps.Change(host, "Poolhouse:main:MaxSize", "0");
        _apps.Time.Advance(TimeSpan.FromSeconds(1));

        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains("MaxSize is 0", (string)entry.Data["reload"], StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_pool_that_is_drained_is_unhealthy()
    {
        using var host = await StartAsync();
        await host.StopAsync(Token);

        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task Two_pools_have_checks_of_their_own()
    {
        using var host = _apps.Build(services =>
        {
            services.AddResourcePool(_ => _policy, "one", options => options.MaxSize = 1).AddHealthCheck();
            services.AddObjectPool<Link>("two").AddHealthCheck("caches", HealthStatus.Degraded, ["live"]);
        });
        await host.StartAsync(Token);
        host.Services.GetRequiredKeyedService<ResourcePool<Link>>("one").Suspend();

        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token);

        Assert.Equal(HealthStatus.Degraded, report.Entries["pool:one"].Status);
        Assert.Equal(HealthStatus.Healthy, report.Entries["caches"].Status);
    }

    private static ResourcePool<Link> Pool(IHost host) => host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");

    private static async Task<HealthReportEntry> CheckAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token)).Entries["pool:main"];

    private static async Task WaitUntilAsync(Func<bool> condition)
    {
        while (!condition())
        {
            Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    private async Task<IHost> StartAsync(Action<ResourcePoolOptions>? configure = null)
    {
        var host = _apps.Build(services => services
            .AddResourcePool(_ => _policy, "main", options => options.MaxSize = 1)
            .Configure(configure ?? (_ => { }))
            .BindConfiguration()
            .DrainOnShutdown()
            .AddHealthCheck());
        await host.StartAsync(Token);
        return host;
    }
}
