using System.Data.Common;
using System.Net.Sockets;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>A trial in progress on a real database: a source of connections and its callers.</summary>
/// <param name="source">Disposed with the stage.</param>
/// <param name="query">What each caller runs.</param>
/// <param name="areThreads">Whether each is a thread that uses the synchronous methods; such a caller never gives
/// up.</param>
/// <param name="time">The clock.</param>
/// <param name="cancellation">Ends the trial.</param>
internal sealed class DatabaseStage(
    DbDataSource source, string query, bool areThreads, TimeProvider time, CancellationToken cancellation)
    : Callers(time, cancellation), IAsyncDisposable
{
    private readonly TimeProvider _time = time;
    private readonly CancellationToken _cancellation = cancellation;

    public ValueTask DisposeAsync() => source.DisposeAsync();

    protected override Task UseAsync(Action served, TimeSpan patience, CancellationToken giveUp) => areThreads
        ? Task.Factory.StartNew(() => Use(served), giveUp, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        : UseSoonAsync(served, patience, giveUp);

    protected override bool IsExpectedFailure(Exception exception) => exception
        is DbException or TimeoutException or OperationCanceledException or SocketException or IOException;

    private void Use(Action served)
    {
        using var connection = source.OpenConnection();
        served();
        Statement.Run(connection, query);
    }

    private async Task UseSoonAsync(Action served, TimeSpan patience, CancellationToken giveUp)
    {
        using var tooLong = new CancellationTokenSource(patience, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(giveUp, tooLong.Token);
        var connection = await source.OpenConnectionAsync(either.Token).ConfigureAwait(false);
        await using var _ = connection.ConfigureAwait(false);
        served();
        await Statement.RunAsync(connection, query, _cancellation).ConfigureAwait(false);
    }
}
