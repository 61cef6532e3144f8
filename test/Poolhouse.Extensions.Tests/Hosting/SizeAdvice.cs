using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Poolhouse.Extensions.Tests.Hosting;

/// <summary>The advice on the size of a pool in an app that runs for days.</summary>
public sealed class SizeAdvice
{
    [Fact]
    public async Task It_is_in_the_data_of_the_health_check_and_once_a_day_in_the_log()
    {
        var apps = new Apps();
        using var host = apps.Build(services => services
            .AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "large", options => options.MaxSize = 100)
            .AddHealthCheck());
        await host.StartAsync(TestContext.Current.CancellationToken);
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("large");
        for (var hour = 0; hour < 25; hour++)
        {
            for (var use = 0; use < 100; use++)
            {
                (await pool.RentAsync(TestContext.Current.CancellationToken)).Dispose();
            }

            apps.Time.Advance(TimeSpan.FromHours(1));
        }

        var entry = Assert.Single(apps.Log.Of(1310));

        // One item is used at a time; one that is being destroyed is still alive when the next one is created.
        Assert.Matches("^Pool 'large': Too large: at most [1-9] of 100 items", entry.Text);
        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(
            TestContext.Current.CancellationToken);
        Assert.Equal(HealthStatus.Healthy, report.Status);
        Assert.StartsWith(
            "Too large: ", (string)Assert.Single(report.Entries).Value.Data["sizeAdvice"], StringComparison.Ordinal);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }
}
