using Poolhouse.AspNetCore;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Extension methods for ASP.NET Core apps whose requests use pools.</summary>
public static class PoolhouseProblemDetailsServiceCollectionExtensions
{
    /// <summary>
    /// Answers requests that failed because a pool did not serve them in time, refused them, or cannot create items, with problem
    /// details and status 503 instead of 500, with the state of the pool, such as "outage" or "saturated", and with the header
    /// Retry-After if the pool can estimate the time.
    /// </summary>
    /// <param name="services">The service collection.</param>
    /// <returns>The service collection.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <remarks>
    /// Takes effect in apps that call <c>app.UseExceptionHandler()</c>, for every <see cref="Poolhouse.IPoolException"/>, also as
    /// an inner exception; handlers that were added before come first. A
    /// <see cref="Poolhouse.Workers.WorkTimeoutException"/> of work that had started stays a 500. The response contains neither
    /// the message of the exception nor the name of the pool.
    /// </remarks>
    public static IServiceCollection AddPoolhouseProblemDetails(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddProblemDetails();
        return services.AddExceptionHandler<PoolExceptionHandler>();
    }
}
