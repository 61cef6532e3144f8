using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Poolhouse.Data;
using Poolhouse.Extensions.Tests.Registration;
using Poolhouse.Http;
using Poolhouse.Ldap;
using Poolhouse.Testing;
using Poolhouse.Workers;

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

        var report = await host.Services.GetRequiredService<HealthCheckService>()
            .CheckHealthAsync(check => check.Tags.Contains("ready"), Token);

        var entry = Assert.Single(report.Entries);
        Assert.Equal("pool:main", entry.Key);
        Assert.Equal(["pool", "ready"], entry.Value.Tags);
        Assert.Equal(HealthStatus.Healthy, entry.Value.Status);
        Assert.Equal(1L, entry.Value.Data["maxLeased"]);
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
    public async Task A_pool_whose_first_caller_has_waited_for_longer_than_the_limit_is_degraded_until_the_caller_is_served()
    {
        using var host = await StartAsync();
        var lease = await Pool(host).RentAsync(Token);
        var waiting = Pool(host).RentAsync(Token).AsTask();

        _apps.Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
        _apps.Time.Advance(TimeSpan.FromSeconds(0.5));
        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Equal(
            "Saturated (MaxSize 1: 1 leased, 0 creating): 1 waiting, the first for 1.5 s; items are requested faster than they " +
            "are returned. Hold them for less time, raise the limit, or set MaxWaiters to fail sooner.",
            entry.Description);
        Assert.Equal(TimeSpan.FromSeconds(1.5), entry.Data["oldestWait"]);

        lease.Dispose();
        (await waiting).Dispose();
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task Saturation_can_be_unhealthy_and_then_decides_over_a_lesser_state()
    {
        using var host = await StartAsync(health: health => health.SaturatedStatus = HealthStatus.Unhealthy);
        using var lease = await Pool(host).RentAsync(Token);
        var waiting = Pool(host).RentAsync(Token).AsTask();
        Apps.Change(host, "Poolhouse:main:MaxSize", "0");
        _apps.Time.Advance(TimeSpan.FromSeconds(2));

        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Contains("1 waiting", entry.Description, StringComparison.Ordinal);
        Assert.Contains("MaxSize is 0", (string)entry.Data["reload"], StringComparison.Ordinal);
        lease.Dispose();
        (await waiting).Dispose();
    }

    [Fact]
    public async Task Saturation_can_be_left_out()
    {
        using var host = await StartAsync(health: health => health.SaturatedStatus = HealthStatus.Healthy);
        using var lease = await Pool(host).RentAsync(Token);
        var waiting = Pool(host).RentAsync(Token).AsTask();
        _apps.Time.Advance(TimeSpan.FromSeconds(20));

        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
        lease.Dispose();
        (await waiting).Dispose();
    }

    [Fact]
    public void A_status_that_makes_no_sense_is_rejected_at_once()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Register(health => health.SaturatedStatus = (HealthStatus)7));

        static void Register(Action<PoolHealthOptions> health) =>
            new ServiceCollection().AddObjectPool<Link>("main").AddHealthCheck(configure: health);
    }

    [Fact]
    public async Task Saturation_is_judged_by_the_statistics_of_each_kind_of_pool()
    {
        using var host = _apps.Build(services =>
        {
            services.AddSharedPool(_ => _policy, "shared", options => (options.Pool.MaxSize, options.MaxUsesPerItem) = (1, 1))
                .AddHealthCheck();
            services.AddKeyedPool<string, Link>(
                (_, _) => _policy, "keyed", options => (options.MaxSize, options.Pool.MaxSize) = (2, 1)).AddHealthCheck();
            services.AddWorkerPool(_ => new Link(), "workers", options => options.MaxWorkers = 1).AddHealthCheck();
        });
        await host.StartAsync(Token);
        var shared = host.Services.GetRequiredKeyedService<SharedResourcePool<Link>>("shared");
        var keyed = host.Services.GetRequiredKeyedService<KeyedResourcePool<string, Link>>("keyed");
        var workers = host.Services.GetRequiredKeyedService<WorkerPool<Link>>("workers");
        var sharedLease = await shared.RentAsync(Token);
        var sharedWait = shared.RentAsync(Token).AsTask();
        var keyedLease = await keyed.RentAsync("a", Token);
        var keyedWait = keyed.RentAsync("a", Token).AsTask();
        using var gate = new ManualResetEventSlim();
        using var started = new ManualResetEventSlim();
        var running = workers.RunAsync(_ => { started.Set(); gate.Wait(Token); }, cancellationToken: Token);
        started.Wait(Token);
        var queued = workers.RunAsync(_ => { }, cancellationToken: Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(2));

        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token);

        Assert.Equal(["pool:keyed", "pool:shared", "pool:workers"], report.Entries.Keys.Order(StringComparer.Ordinal));
        Assert.All(report.Entries.Values, entry =>
        {
            Assert.Equal(HealthStatus.Degraded, entry.Status);
            Assert.Contains("the first for 2 s", entry.Description, StringComparison.Ordinal);
        });
        gate.Set();
        sharedLease.Dispose();
        keyedLease.Dispose();
        (await sharedWait).Dispose();
        (await keyedWait).Dispose();
        await running;
        await queued;
        report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token);
        Assert.All(report.Entries.Values, entry => Assert.Equal(HealthStatus.Healthy, entry.Status));
    }

    [Fact]
    public async Task An_outage_is_unhealthy_if_nothing_is_left_and_degraded_while_items_are_in_use()
    {
        using var host = await StartAsync(configure: options => options.MaxSize = 2);
        var pool = Pool(host);
        var lease = await pool.RentAsync(Token);
        (_policy.Creating.Outcome, _policy.Creating.Failure) = (HookOutcome.Fail, new TimeoutException("secret"));
        var waiting = pool.RentAsync(TimeSpan.FromMilliseconds(1), Token).AsTask();
        await Patience.UntilAsync(() => pool.GetStatistics().InOutage, "an outage");

        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        lease.Discard();
        await Patience.UntilAsync(
            () => pool.GetStatistics() is { Leased: 0, Idle: 0, InOutage: true }, "an outage without items");
        entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Matches(
            "^Outage since [0-9: -]* UTC \\([0-9.]* s\\), because of System.TimeoutException: no item can be created. ",
            entry.Description);
        Assert.DoesNotContain("secret", entry.Description, StringComparison.Ordinal);

        _apps.Time.Advance(TimeSpan.FromMilliseconds(1));
        await Assert.ThrowsAsync<PoolUnavailableException>(() => waiting);
    }

    [Fact]
    public async Task An_outage_that_only_the_next_caller_can_end_is_degraded_so_that_there_is_one()
    {
        using var host = await StartAsync(configure: options => options.OutageTimeout = TimeSpan.Zero);
        _policy.Creating.Next(HookOutcome.Fail);
        await Assert.ThrowsAnyAsync<Exception>(() => Pool(host).RentAsync(Token).AsTask());
        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync(host)).Status);

        _apps.Time.Advance(Pool(host).GetStatistics().RetryAfter);
        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains("The next caller triggers another attempt.", entry.Description, StringComparison.Ordinal);

        (await Pool(host).RentAsync(Token)).Dispose();
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task An_outage_of_a_shared_pool_is_unhealthy_while_the_next_creation_hangs()
    {
        using var host = _apps.Build(services => services
            .AddSharedPool(
                _ => _policy, "main", options =>
                {
                    // The clock advances until the second attempt has begun on another thread, which can take long.
                    options.Pool.MaxSize = 1;
                    options.Pool.RentTimeout = options.Pool.OutageTimeout = Timeout.InfiniteTimeSpan;
                })
            .AddHealthCheck());
        await host.StartAsync(Token);
        var pool = host.Services.GetRequiredKeyedService<SharedResourcePool<Link>>("main");
        _policy.Creating.Outcome = HookOutcome.Hang;
        _policy.Creating.Next(HookOutcome.Fail);
        var waiting = pool.RentAsync(Token).AsTask();
        await Patience.UntilAsync(
            () =>
            {
                _apps.Time.Advance(TimeSpan.FromMilliseconds(50));
                return _policy.Creating is { Calls: 2, Running: 1 };
            },
            "the second attempt");

        var entry = await CheckAsync(host);
        _policy.Creating.Outcome = HookOutcome.Succeed;
        _policy.Creating.Release();
        (await waiting).Dispose();

        Assert.Equal((HealthStatus.Unhealthy, 0L, 1L), (entry.Status, entry.Data["idle"], entry.Data["creating"]));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Theory]
    [InlineData(0, 0, 0, 0)]
    [InlineData(2, 1, 1, 0)]
    [InlineData(3, 1, 1, 70)]
    public void The_uses_left_of_a_shared_pool_need_an_item_that_exists(int live, int creating, int destroying, int idle) =>
        Assert.Equal(idle, PoolFigures.From(new SharedResourcePoolStatistics
        {
            MaxLeased = 100,
            Leased = 30,
            Items = new ResourcePoolStatistics { Live = live, Creating = creating, Destroying = destroying },
        }).Idle);

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
        using var host =
            await StartAsync(configure: options => (options.MaxSize, options.LeakThreshold) = (2, TimeSpan.FromMinutes(1)));
        var lease = await Pool(host).RentAsync(Token);
        _apps.Time.Advance(TimeSpan.FromMinutes(1.5));

        var entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.StartsWith(
            "Leaking: an item has been leased for 90 s, longer than LeakThreshold", entry.Description, StringComparison.Ordinal);
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
    public async Task A_pool_of_any_kind_that_the_app_has_disposed_is_unhealthy()
    {
        using var host = await StartAllKindsAsync();
        var pools = host.Services.GetRequiredService<IPools>().ToList();
        Assert.All((await ReportAsync(host)).Values, entry => Assert.Equal(HealthStatus.Healthy, entry.Status));
        Assert.All(pools, pool => Assert.False(pool.IsStopping, pool.Name));

        pools.ForEach(pool => ((IDisposable)pool.Pool).Dispose());

        var entries = await ReportAsync(host);
        Assert.Equal(pools.Count, entries.Count);
        Assert.All(entries, entry => Assert.Equal(
            (entry.Key, HealthStatus.Unhealthy, "Closed: the pool was disposed or has been drained."),
            (entry.Key, entry.Value.Status, entry.Value.Description)));
        Assert.All(pools, pool => Assert.True(pool.IsStopping, pool.Name));
    }

    [Fact]
    public async Task A_pool_of_any_kind_that_the_app_drains_is_unhealthy()
    {
        using var host = await StartAllKindsAsync();
        Func<string, Task>[] drains =
        [
            name => Resolve<ResourcePool<Link>>(name).DrainAsync(Token),
            name => Resolve<KeyedResourcePool<string, Link>>(name).DrainAsync(Token),
            name => Resolve<SharedResourcePool<Link>>(name).DrainAsync(Token),
            name => Resolve<NestedResourcePool<Link, Registrations.Sheet>>(name).DrainAsync(Token),
            name => Resolve<WorkerPool<Link>>(name).DrainAsync(Token),
            name => Resolve<PooledDataSource>(name).DrainAsync(Token),
            name => Resolve<DbConnectionPool<SqliteConnection>>(name).DrainAsync(Token),
            name => Resolve<LdapConnectionPool>(name).DrainAsync(Token),
            name => Resolve<Bulkhead>(name).DrainAsync(Token),
        ];
        string[] names = ["resource", "keyed", "shared", "nested", "worker", "source", "connections", "ldap", "bulkhead"];

        await Task.WhenAll(drains.Zip(names, (drain, name) => drain(name)));

        var entries = await ReportAsync(host);
        Assert.All(names, name => Assert.Equal((name, HealthStatus.Unhealthy), (name, entries["pool:" + name].Status)));
        Assert.Equal(HealthStatus.Healthy, entries["pool:object"].Status);

        TPool Resolve<TPool>(string name)
            where TPool : notnull => host.Services.GetRequiredKeyedService<TPool>(name);
    }

    [Fact]
    public async Task A_pool_that_is_drained_is_unhealthy_while_leases_are_in_use()
    {
        using var host = await StartAsync();
        var lease = await Pool(host).RentAsync(Token);
        var drained = Pool(host).DrainAsync(Token);

        Assert.False(drained.IsCompleted);
        var entry = await CheckAsync(host);
        Assert.Equal(
            (HealthStatus.Unhealthy, "Draining: 1 leased, and no further caller is served."), (entry.Status, entry.Description));
        lease.Dispose();
        await drained;
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

    private static async Task<IReadOnlyDictionary<string, HealthReportEntry>> ReportAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token)).Entries;

    private async Task<IHost> StartAllKindsAsync()
    {
        const string database = "Data Source=:memory:";
        var host = _apps.Build(services =>
        {
            services.AddResourcePool(_ => _policy, "resource", options => options.MaxSize = 1).AddHealthCheck();
            services.AddKeyedPool<string, Link>(
                (_, _) => _policy, "keyed", options => (options.MaxSize, options.Pool.MaxSize) = (2, 1)).AddHealthCheck();
            services.AddSharedPool(_ => _policy, "shared", options => options.Pool.MaxSize = 1).AddHealthCheck();
            services.AddNestedPool<Link, Registrations.Sheet>(
                _ => new ScriptedPolicy<Link>(() => new Link()), _ => new Registrations.SheetPolicy(), "nested",
                options => (options.ParentPool.MaxSize, options.ChildPool.MaxSize) = (1, 2)).AddHealthCheck();
            services.AddWorkerPool(_ => new Link(), "worker", options => options.MaxWorkers = 1).AddHealthCheck();
            services.AddObjectPool<Link>("object").AddHealthCheck();
            services.AddPooledDataSource(SqliteFactory.Instance, database, "source").AddHealthCheck();
            services.AddDbConnectionPool<SqliteConnection>(SqliteFactory.Instance, database, "connections").AddHealthCheck();
            services.AddLdapPool(_ => "Server=127.0.0.1;User Name=cn=app;Password=secret", "ldap", options =>
                options.Pool.MaxSize = 1).AddHealthCheck();
            services.AddHttpClient("bulkhead").AddPoolhouseBulkhead(
                options => options.MaxPerEndpoint = 1, bulkhead => bulkhead.AddHealthCheck());
        });
        await host.StartAsync(Token);
        return host;
    }

    private async Task<IHost> StartAsync(Action<PoolHealthOptions>? health = null, Action<ResourcePoolOptions>? configure = null)
    {
        var host = _apps.Build(services => services
            .AddResourcePool(_ => _policy, "main", options => options.MaxSize = 1)
            .Configure(configure ?? (_ => { }))
            .BindConfiguration()
            .DrainOnShutdown()
            .AddHealthCheck(configure: health));
        await host.StartAsync(Token);
        return host;
    }
}
