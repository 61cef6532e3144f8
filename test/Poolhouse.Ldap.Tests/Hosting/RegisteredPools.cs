using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Poolhouse.Extensions;
using Poolhouse.Ldap.Tests.Servers;

namespace Poolhouse.Ldap.Tests.Hosting;

/// <summary>Pools that an app registers, on a real server where that matters.</summary>
public sealed class RegisteredPools
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_registered_pool_is_warm_before_the_start_and_leaves_no_connection_after_the_stop()
    {
        await using var directory = await OpenLdapDirectory.StartAsync();
        using var host = Build(
            services => services
                .AddLdapPool(
                    _ => $"Server={directory.Address};User Name={Entries.Service};Password={Entries.ServicePassword}", "staff")
                .BindConfiguration()
                .WarmUp(2, WarmUpMode.OrFailStart)
                .DrainOnShutdown()
                .AddHealthCheck(),
            ("Poolhouse:staff:Pool:MaxSize", "3"));
        await host.StartAsync(Token);
        var pool = host.Services.GetRequiredKeyedService<LdapConnectionPool>("staff");

        Assert.Equal(("staff", 3, 2), (pool.Name, pool.GetStatistics().MaxSize, pool.GetStatistics().Idle));
        await Patience.UntilAsync(
            directory.IdentitiesAsync, identities => identities.SequenceEqual([Entries.Service, Entries.Service]),
            "two connections of the service");
        Assert.Equal(HealthStatus.Healthy, await HealthAsync(host));
        using (var lease = await pool.RentAsync(Token))
        {
            Assert.True(lease.IsActive);
        }

        await host.StopAsync(Token);
        await ((IAsyncDisposable)host).DisposeAsync();
        await Patience.UntilAsync(
            directory.IdentitiesAsync, static identities => identities.Count == 0, "the connections are closed");
    }

    [Fact]
    public async Task Without_a_reachable_server_the_app_is_unhealthy_and_recovers_with_the_server()
    {
        await using var directory = InProcessDirectory.Start();
        using var host = Build(services => services
            .AddLdapPool(configure: options =>
            {
                options.Servers.Add(directory.Address);
                (options.UserName, options.Password) = (Entries.Service, Entries.ServicePassword);
                (options.Pool.MaxSize, options.Pool.RetryDelay, options.Pool.MaxRetryDelay, options.Pool.OutageTimeout) =
                    (2, TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(20), Timeout.InfiniteTimeSpan);
            })
            .AddHealthCheck("pool:staff"));
        await host.StartAsync(Token);
        var pool = host.Services.GetRequiredService<LdapConnectionPool>();
        await directory.StopAsync();
        var waiting = pool.RentAsync(Token).AsTask();
        await Patience.UntilAsync(
            () => HealthAsync(host), static health => health == HealthStatus.Unhealthy, "the app is unhealthy");

        await directory.StartAgainAsync();
        (await waiting).Dispose();
        Assert.Equal(HealthStatus.Healthy, await HealthAsync(host));
    }

    [Fact]
    public async Task A_changed_section_is_applied_although_the_app_sets_callbacks_anew()
    {
        using var host = Build(
            services => services
                .AddLdapPool("staff", options => options.Servers.Add("one.invalid"))
                .Configure((provider, options) =>
                    options.Credentials = _ => new(provider.GetRequiredService<System.Net.NetworkCredential>()))
                .BindConfiguration(),
            ("Poolhouse:staff:Pool:MaxSize", "3"));
        await host.StartAsync(Token);
        var pool = host.Services.GetRequiredKeyedService<LdapConnectionPool>("staff");

        var root = (IConfigurationRoot)host.Services.GetRequiredService<IConfiguration>();
        root["Poolhouse:staff:Pool:MaxSize"] = "5";
        root.Reload();
        await Patience.UntilAsync(
            () =>
            {
                Assert.Null(Assert.Single(host.Services.GetRequiredService<IPools>()).ReloadRejection);
                return pool.GetStatistics().MaxSize == 5;
            },
            "the changed MaxSize is applied");
    }

    [Fact]
    public async Task Invalid_settings_prevent_the_start_and_are_all_named_without_a_password()
    {
        using var host = Build(
            services =>
                services.AddLdapPool(_ => "Server=one.invalid;User Name=cn=app;Password=hunter2", "staff").BindConfiguration(),
            ("Poolhouse:staff:Servers:0", "two.invalid"),
            ("Poolhouse:staff:AuthType", "Magic"),
            ("Poolhouse:staff:Password", "hunter2"),
            ("Poolhouse:staff:Pool:MaxSize", "many"));

        var error = await Assert.ThrowsAnyAsync<Exception>(() => host.StartAsync(Token));

        Assert.All(
            ["Poolhouse:staff:AuthType is \"Magic\"", "Poolhouse:staff:Password is not a setting",
                "Poolhouse:staff:Pool:MaxSize is \"many\""],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
        Assert.DoesNotContain("hunter2", error.ToString(), StringComparison.Ordinal);
    }

    private static async Task<HealthStatus> HealthAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token)).Entries["pool:staff"].Status;

    private static IHost Build(Action<IServiceCollection> configure, params (string Key, string Value)[] settings)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection(settings.Select(each => KeyValuePair.Create(each.Key, (string?)each.Value)));
        configure(builder.Services);
        return builder.Build();
    }
}
