using System.DirectoryServices.Protocols;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>The blocking clients of a directory.</summary>
/// <param name="connections">How they get a connection.</param>
/// <param name="work">What they do with it.</param>
/// <param name="time">The clock.</param>
/// <param name="cancellation">Ends the trial.</param>
internal sealed class LdapCallers(
    LdapConnections connections, Action<LdapConnection> work, TimeProvider time, CancellationToken cancellation)
    : Callers(time, cancellation)
{
    private readonly CancellationToken _cancellation = cancellation;

    /// <summary>Callers that work in a loop with pauses; each has a dedicated thread, because the server needs those of the
    /// thread pool.</summary>
    /// <param name="callers">How many.</param>
    /// <param name="think">The length of a pause.</param>
    /// <param name="comes">Whether a caller continues, given its number of rounds.</param>
    public Task ComeAsync(int callers, TimeSpan think, Func<int, bool> comes) =>
        Task.WhenAll(Enumerable.Range(0, callers).Select(_ => Task.Factory.StartNew(
            () => Come(think, comes), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));

    protected override Task UseAsync(Action served, TimeSpan patience, CancellationToken giveUp)
    {
        connections.Use(
            connection =>
            {
                served();
                work(connection);
            },
            giveUp);
        return Task.CompletedTask;
    }

    protected override bool IsExpectedFailure(Exception exception) => LdapFailureText.Is(exception);

    private void Come(TimeSpan think, Func<int, bool> comes)
    {
        for (var visit = 0; comes(visit) && !_cancellation.IsCancellationRequested; visit++)
        {
#pragma warning disable VSTHRD002 // It has ended: whatever it does blocks.
            VisitAsync(Timeout.InfiniteTimeSpan, _cancellation).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
            _cancellation.WaitHandle.WaitOne(think);
        }
    }
}
