using System.Net;

namespace Poolhouse.Http.Tests.Support;

/// <summary>Counts the requests with a body that have a connection: only then the body is requested.</summary>
internal sealed class ArrivalHandler(HttpMessageHandler inner) : DelegatingHandler(inner)
{
    private int _count;

    public int Count => Volatile.Read(ref _count);

    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (request.Content is { } content)
        {
            request.Content = new WatchedContent(content, this);
        }

        return base.SendAsync(request, cancellationToken);
    }

    private sealed class WatchedContent(HttpContent content, ArrivalHandler owner) : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
            SerializeToStreamAsync(stream, context, CancellationToken.None);

        protected override Task SerializeToStreamAsync(
            Stream stream, TransportContext? context, CancellationToken cancellationToken)
        {
            var writing = content.CopyToAsync(stream, context, cancellationToken);
            Interlocked.Increment(ref owner._count);
            return writing;
        }

        protected override bool TryComputeLength(out long length)
        {
            length = content.Headers.ContentLength ?? 0;
            return true;
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                content.Dispose();
            }

            base.Dispose(disposing);
        }
    }
}
