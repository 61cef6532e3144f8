using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.AspNetCore;
using Poolhouse.Extensions;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Extension methods that show pools over HTTP.</summary>
public static class PoolhouseEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Maps an endpoint that shows the current figures of all registered pools: as a page for browsers, otherwise, and with
    /// <c>?format=json</c>, as JSON.
    /// </summary>
    /// <param name="endpoints">The endpoints of the app.</param>
    /// <param name="pattern">The path; "/pools" by default.</param>
    /// <returns>
    /// A builder, for instance to require authorization: the names and sizes of pools are not meant for the public.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="endpoints"/> or <paramref name="pattern"/> is null.</exception>
    /// <exception cref="InvalidOperationException">No pool is registered in the container.</exception>
    /// <remarks>
    /// Reads statistics and never rents. It shows the labels of the oldest leases if the pool records them; items, keys, settings
    /// and connection strings are not shown. The page needs no script and requests nothing else.
    /// </remarks>
    public static IEndpointConventionBuilder MapPoolhouse(
        this IEndpointRouteBuilder endpoints, [StringSyntax("Route")] string pattern = "/pools")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        var pools = endpoints.ServiceProvider.GetService<IPools>()
            ?? throw new InvalidOperationException(
                "There are no pools to show: register one, for instance with AddResourcePool, before MapPoolhouse is called.");
        var clock = endpoints.ServiceProvider.GetService<TimeProvider>() ?? TimeProvider.System;
        return endpoints
            .MapMethods(
                pattern, [HttpMethods.Get, HttpMethods.Head],
                (RequestDelegate)(context => PoolEndpoint.RespondAsync(context, pools, clock)))
            .WithDisplayName("Poolhouse: the pools of the app");
    }
}
