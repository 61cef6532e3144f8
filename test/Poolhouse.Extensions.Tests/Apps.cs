using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Poolhouse.Testing;

namespace Poolhouse.Extensions.Tests;

/// <summary>Builds real hosts with a manual clock, recorded logs and settings in memory.</summary>
internal sealed class Apps
{
    public ManualTimeProvider Time { get; } = new();

    public LogRecorder Log { get; init; } = new();

    public Dictionary<string, string?> Settings { get; } = new(StringComparer.OrdinalIgnoreCase);

    public IHost Build(Action<IServiceCollection> configure)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection(Settings);
        builder.Services.AddSingleton<TimeProvider>(Time);
        builder.Logging.AddProvider(Log).SetMinimumLevel(LogLevel.Trace);
        configure(builder.Services);
        return builder.Build();
    }

    /// <summary>Changes a setting, as an edited appsettings.json would.</summary>
    public static void Change(IHost host, string path, string? value)
    {
        var root = (IConfigurationRoot)host.Services.GetRequiredService<IConfiguration>();
        root[path] = value;
        root.Reload();
    }
}
