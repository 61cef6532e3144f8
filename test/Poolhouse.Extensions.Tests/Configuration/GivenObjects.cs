using System.Diagnostics.Metrics;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Extensions.Registration;
using Poolhouse.Extensions.Tests.Registration;
using Poolhouse.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Extensions.Tests.Configuration;

public sealed class GivenObjects
{
    private readonly Apps _apps = new();

    [Fact]
    public async Task Objects_that_the_app_sets_in_the_options_of_several_pools_are_not_changed()
    {
        var pool = new ResourcePoolOptions { MaxSize = 4 };
        var (overload, servers) = (new OverloadOptions(), new ServerSetOptions());
        foreach (var section in (string[])["keyed:Pool", "shared:Pool", "nested:ParentPool", "nested:ChildPool", "source:Pool",
            "connections:Pool", "ldap:Pool", "ldap:VerifyPool"])
        {
            _apps.Settings[$"Poolhouse:{section}:MaxSize"] = "5";
        }

        _apps.Settings["Poolhouse:resource:Overload:Target"] = "00:00:00.1";
        _apps.Settings["Poolhouse:bulkhead:Overload:Target"] = "00:00:00.1";
        _apps.Settings["Poolhouse:ldap:ServerSet:AttemptTimeout"] = "00:00:01";
        using var host = _apps.Build(services =>
        {
            services.AddResourcePool<Link>(
                (_, token) => Link.OpenAsync(token), "resource",
                options => (options.MaxSize, options.Overload) = (5, overload)).BindConfiguration();
            services.AddKeyedPool<string, Link>(
                (_, _) => new ScriptedPolicy<Link>(() => new Link()), "keyed",
                options => (options.MaxSize, options.Pool) = (5, pool)).BindConfiguration();
            services.AddSharedPool(
                _ => new ScriptedPolicy<Link>(() => new Link()), "shared", options => options.Pool = pool).BindConfiguration();
            services.AddNestedPool<Link, Registrations.Sheet>(
                _ => new ScriptedPolicy<Link>(() => new Link()), _ => new Registrations.SheetPolicy(), "nested",
                options => (options.ParentPool, options.ChildPool) = (pool, pool)).BindConfiguration();
            services.AddPooledDataSource(
                SqliteFactory.Instance, "Data Source=:memory:", "source", options => options.Pool = pool).BindConfiguration();
            services.AddDbConnectionPool<SqliteConnection>(
                SqliteFactory.Instance, "Data Source=:memory:", "connections", options => options.Pool = pool)
                .BindConfiguration();
            services.AddLdapPool(
                _ => "Server=127.0.0.1;User Name=cn=app;Password=secret", "ldap",
                options => (options.Pool, options.VerifyPool, options.ServerSet) = (pool, pool, servers)).BindConfiguration();
            services.AddHttpClient("bulkhead").AddPoolhouseBulkhead(
                options => (options.MaxPerEndpoint, options.Overload) = (5, overload), bulkhead => bulkhead.BindConfiguration());
        });

        await host.StartAsync(TestContext.Current.CancellationToken);

        Assert.All(host.Services.GetRequiredService<IPools>(), info => Assert.Equal(info.Name, info.Pool.Name));
        Assert.Equal(
            (4, null, null, null, TimeProvider.System),
            (pool.MaxSize, pool.Name, pool.Observer, pool.MeterFactory, pool.TimeProvider));
        Assert.Equal(new OverloadOptions().Target, overload.Target);
        Assert.Equal(
            (new ServerSetOptions().AttemptTimeout, TimeProvider.System), (servers.AttemptTimeout, servers.TimeProvider));
    }

    [Fact]
    public async Task Meters_and_clocks_that_the_app_sets_anew_each_time_prevent_no_change()
    {
        using var host = _apps.Build(services =>
        {
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "resource", Set).BindConfiguration();
            services.AddKeyedPool<string, Link>(
                (_, _) => new ScriptedPolicy<Link>(() => new Link()), "keyed",
                options => (options.MaxSize, options.Pool) = (5, New())).BindConfiguration();
            services.AddSharedPool(
                _ => new ScriptedPolicy<Link>(() => new Link()), "shared", options => options.Pool = New()).BindConfiguration();
            services.AddNestedPool<Link, Registrations.Sheet>(
                _ => new ScriptedPolicy<Link>(() => new Link()), _ => new Registrations.SheetPolicy(), "nested",
                options => (options.ParentPool, options.ChildPool) = (New(), New())).BindConfiguration();
            services.AddPooledDataSource(
                SqliteFactory.Instance, "Data Source=:memory:", "source", options => options.Pool = New()).BindConfiguration();
            services.AddDbConnectionPool<SqliteConnection>(
                SqliteFactory.Instance, "Data Source=:memory:", "connections", options => options.Pool = New())
                .BindConfiguration();
            services.AddLdapPool(
                _ => "Server=127.0.0.1;User Name=cn=app;Password=secret", "ldap",
                options => (options.Pool, options.VerifyPool, options.ServerSet) =
                    (New(), New(), new ServerSetOptions { TimeProvider = new ManualTimeProvider() })).BindConfiguration();
            services.AddWorkerPool(_ => new object(), "workers", options =>
            {
                options.MaxWorkers = 5;
                options.Meter = new Meter("Orders");
                options.TimeProvider = new ManualTimeProvider();
            }).BindConfiguration();
            services.AddHttpClient("bulkhead").AddPoolhouseBulkhead(
                options =>
                {
                    options.MaxPerEndpoint = 5;
                    options.Meter = new Meter("Orders");
                    options.TimeProvider = new ManualTimeProvider();
                },
                bulkhead => bulkhead.BindConfiguration());
        });
        await host.StartAsync(TestContext.Current.CancellationToken);

        foreach (var setting in (string[])["resource:MaxSize", "keyed:MaxSize", "shared:Pool:MaxSize", "nested:ChildPool:MaxSize",
            "source:Pool:MaxSize", "connections:Pool:MaxSize", "ldap:Pool:MaxSize", "workers:MaxWorkers", "bulkhead:MaxPerEndpoint"])
        {
            Apps.Change(host, $"Poolhouse:{setting}", "7");
        }

        _apps.Time.Advance(ReloadWatcher<ResourcePoolOptions>.Debounce);

        var pools = host.Services.GetRequiredService<IPools>();
        Assert.Equal(9, pools.Count);
        Assert.All(pools, info => Assert.Null(info.ReloadRejection));
        Assert.Equal(9, _apps.Log.Of(1300).Count);

        static ResourcePoolOptions New()
        {
            var options = new ResourcePoolOptions { MaxSize = 5 };
            Set(options);
            return options;
        }

        static void Set(ResourcePoolOptions options)
        {
            options.MaxSize = 5;
            options.Meter = new Meter("Orders");
            options.TimeProvider = new ManualTimeProvider();
        }
    }
}
