using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;
using Poolhouse.Extensions;

namespace Poolhouse.AspNetCore;

/// <summary>Answers requests for the figures of the pools.</summary>
internal static class PoolEndpoint
{
    public static Task RespondAsync(HttpContext context, IPools pools, TimeProvider clock)
    {
        var response = context.Response;
        response.Headers.CacheControl = "no-store";
        response.Headers.Vary = HeaderNames.Accept;
        response.Headers.XContentTypeOptions = "nosniff";
        var reports = pools.Select(pool => new PoolReport(pool)).ToList();
        byte[] body;
        if (WantsPage(context.Request))
        {
            response.ContentType = "text/html; charset=utf-8";
            response.Headers.ContentSecurityPolicy = PoolPage.ContentSecurityPolicy;
            body = PoolPage.Write(reports, clock.GetUtcNow());
        }
        else
        {
            response.ContentType = "application/json; charset=utf-8";
            body = PoolJson.Write(reports);
        }

        response.ContentLength = body.Length;
        return HttpMethods.IsHead(context.Request.Method)
            ? Task.CompletedTask
            : response.Body.WriteAsync(body, context.RequestAborted).AsTask();
    }

    // Browsers name text/html among the types that they accept; other clients rarely do.
    private static bool WantsPage(HttpRequest request) =>
        !string.Equals(request.Query["format"], "json", StringComparison.OrdinalIgnoreCase)
        && MediaTypeHeaderValue.TryParseList(request.Headers.Accept, out var accepted)
        && accepted.Any(type => type.Quality is not 0 && type.MediaType.Equals("text/html", StringComparison.OrdinalIgnoreCase));
}
