using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Http;

/// <summary>The clients of a service. Each requests a response and reads it to the end.</summary>
/// <param name="send">Sends a request and reads the answer.</param>
/// <param name="time">The clock.</param>
/// <param name="cancellation">Ends the trial.</param>
internal sealed class HttpCallers(Func<CancellationToken, Task> send, TimeProvider time, CancellationToken cancellation)
    : Callers(time, cancellation)
{
    private readonly TimeProvider _time = time;
    private readonly CancellationToken _cancellation = cancellation;

    protected override async Task UseAsync(Action served, TimeSpan patience, CancellationToken giveUp)
    {
        using var timeout = new CancellationTokenSource(patience, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, giveUp, _cancellation);
        await send(either.Token).ConfigureAwait(false);
        served();
    }

    protected override bool IsExpectedFailure(Exception exception) =>
        exception is HttpRequestException or OperationCanceledException && !_cancellation.IsCancellationRequested;
}
