using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Poolhouse.Testing;

namespace Poolhouse.Extensions.Tests.AspNetCore;

/// <summary>
/// A web app with a real Kestrel on a free port of the loopback interface, a manual clock and settings in memory.
/// </summary>
internal sealed class WebApps : IAsyncDisposable
{
    private readonly List<WebApplication> _apps = [];

    public ManualTimeProvider Time { get; } = new();

    public async Task<(WebApplication App, HttpClient Client)> StartAsync(
        Action<IServiceCollection> services, Action<WebApplication> endpoints)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Configuration.Sources.Clear();
        builder.Configuration.AddInMemoryCollection();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddSingleton<TimeProvider>(Time);
        services(builder.Services);
        var app = builder.Build();
        _apps.Add(app);
        endpoints(app);
        await app.StartAsync(TestContext.Current.CancellationToken);
        return (app, new HttpClient { BaseAddress = new Uri(app.Urls.Single()) });
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var app in _apps)
        {
            await app.DisposeAsync();
        }
    }
}
