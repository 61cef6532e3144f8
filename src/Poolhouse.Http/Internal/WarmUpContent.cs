using System.Net;

namespace Poolhouse.Http.Internal;

/// <summary>An empty body that is not written before all requests of a warm-up have got that far.</summary>
internal sealed class WarmUpContent(WarmUpBarrier meeting, CancellationToken ended) : HttpContent
{
    private int _hasArrived;

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override Task SerializeToStreamAsync(
        Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        Interlocked.Exchange(ref _hasArrived, 1) == 0 ? meeting.ArriveAsync(ended) : Task.CompletedTask;

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return true;
    }
}
