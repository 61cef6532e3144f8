using System.IO.Pipelines;
using Microsoft.AspNetCore.Http.Features;

namespace Poolhouse.Samples.StreamsApi;

/// <summary>The body of a response that goes to a pooled stream, whichever way an endpoint writes it.</summary>
internal sealed class BufferedBody(PooledStream buffer) : IHttpResponseBodyFeature
{
    public Stream Stream => buffer;

    public PipeWriter Writer { get; } = buffer.AsPipeWriter();

    // What cannot wait, such as server-sent events, stays out of the middleware.
    public void DisableBuffering()
    {
    }

    // The headers wait for the length.
    public Task StartAsync(CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default) =>
        SendFileFallback.SendFileAsync(buffer, path, offset, count, cancellationToken);

    public Task CompleteAsync() => Task.CompletedTask;
}
