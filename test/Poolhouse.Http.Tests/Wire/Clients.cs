using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Poolhouse.Http.Tests.Wire;

/// <summary>Clients that speak just one version, which a server without TLS needs for HTTP/2.</summary>
internal static class Clients
{
    public static Version VersionOf(HttpProtocols protocols) =>
        protocols == HttpProtocols.Http2 ? HttpVersion.Version20 : HttpVersion.Version11;

    public static HttpClient Of(HttpMessageHandler handler, HttpProtocols protocols) => new(handler, disposeHandler: false)
    {
        DefaultRequestVersion = VersionOf(protocols),
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
    };
}
