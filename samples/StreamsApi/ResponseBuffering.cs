using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Poolhouse.Samples.StreamsApi;

/// <summary>Holds a response back until it is whole: it gets a length and an ETag, and none is sent by half.</summary>
public sealed class ResponseBuffering(RequestDelegate next, StreamPool streams)
{
    /// <summary>Called by ASP.NET Core.</summary>
    public async Task InvokeAsync(HttpContext http)
    {
        ArgumentNullException.ThrowIfNull(http);

        var body = http.Features.GetRequiredFeature<IHttpResponseBodyFeature>();
        await using var buffer = streams.Rent("response");
        http.Features.Set<IHttpResponseBodyFeature>(new BufferedBody(buffer));
        try
        {
            await next(http);
        }
        finally
        {
            http.Features.Set(body);
        }

        if (http.Response.StatusCode is StatusCodes.Status200OK && IsKnown(http, Fingerprint.Of(buffer.WrittenSequence)))
        {
            http.Response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }

        http.Response.ContentLength = buffer.Length;
        buffer.Position = 0;
        await buffer.CopyToAsync(body.Stream, http.RequestAborted);
    }

    private static bool IsKnown(HttpContext http, string fingerprint)
    {
        var tag = new EntityTagHeaderValue($"\"{fingerprint}\"");
        http.Response.GetTypedHeaders().ETag = tag;
        return http.Request.GetTypedHeaders().IfNoneMatch.Any(known => known.Compare(tag, useStrongComparison: false));
    }
}
