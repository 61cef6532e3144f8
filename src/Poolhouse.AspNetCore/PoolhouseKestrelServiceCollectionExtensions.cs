using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Connections;
using Poolhouse;
using Poolhouse.AspNetCore;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Extension methods for the memory of ASP.NET Core's server.</summary>
public static class PoolhouseKestrelServiceCollectionExtensions
{
    /// <summary>
    /// Has Kestrel, and everything else that takes its memory from <see cref="IMemoryPoolFactory{T}"/>, rent memory from a pool
    /// of Poolhouse.
    /// </summary>
    /// <param name="services">The service collection.</param>
    /// <param name="configure">
    /// Changes the settings of the pool: the name is "kestrel", idle memory is released after 10 seconds, the clock and the meter
    /// come from the container, and the rest are the defaults of <see cref="ArrayPoolOptions"/>.
    /// </param>
    /// <returns>The service collection.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <remarks>
    /// Releases memory after a burst sooner than the built-in pool and shows it in the metrics; it does not make requests faster.
    /// The last registration of a factory is used. Invalid settings are reported when the server starts.
    /// </remarks>
    public static IServiceCollection AddPoolhouseKestrelMemory(
        this IServiceCollection services, Action<ArrayPoolOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddSingleton<IMemoryPoolFactory<byte>>(provider =>
        {
            var options = new ArrayPoolOptions
            {
                Name = "kestrel",
                IdleTimeout = TimeSpan.FromSeconds(10),
                TimeProvider = provider.GetService<TimeProvider>() ?? TimeProvider.System,
                MeterFactory = provider.GetService<IMeterFactory>(),
            };
            configure?.Invoke(options);
            return new KestrelMemory(options);
        });
    }
}
