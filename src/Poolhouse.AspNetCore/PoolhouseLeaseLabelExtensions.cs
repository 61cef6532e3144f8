using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Poolhouse;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Extension methods that name the leases of requests.</summary>
public static class PoolhouseLeaseLabelExtensions
{
    /// <summary>
    /// Sets the <see cref="LeaseLabel"/> of each request to the route of its endpoint, such as <c>/orders/{customer}</c>.
    /// </summary>
    /// <param name="app">The app. Add it after <c>UseRouting</c>, if that is called.</param>
    /// <returns>The app.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="app"/> is null.</exception>
    /// <remarks>
    /// Pools with <see cref="ResourcePoolOptions.LabelLeases"/> or <see cref="ResourcePoolOptions.TrackLeases"/> then show which
    /// endpoints hold their items. A request without a route keeps the label that it has. The route is a template without values,
    /// so there are few labels and no personal data.
    /// </remarks>
    public static IApplicationBuilder UseLeaseLabels(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        return app.Use(static (context, next) =>
            context.GetEndpoint() is RouteEndpoint { RoutePattern.RawText: { } route } && !string.IsNullOrWhiteSpace(route)
                ? RunLabelledAsync(context, next, route)
                : next(context));
    }

    private static async Task RunLabelledAsync(HttpContext context, RequestDelegate next, string route)
    {
        using (LeaseLabel.Use(route))
        {
            await next(context).ConfigureAwait(false);
        }
    }
}
