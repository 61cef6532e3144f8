using System.Data.Common;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>Opens a connection, selects, closes: one rival's way.</summary>
/// <param name="rival">Its name.</param>
/// <param name="open">Creates its source of connections.</param>
/// <param name="query">The query.</param>
/// <param name="isAsynchronous">Which methods are called.</param>
/// <param name="calls">How often in a round.</param>
internal class SelectContender(string rival, Func<DbDataSource> open, string query, bool isAsynchronous, int calls)
    : Contender(rival)
{
    // A share of a round. A round is short, and after a rival that opens a file or a socket each time, the processor's caches
    // hold nothing of the next one.
    private const int ShareBeforeRound = 10;

    public override long? FixedCalls => calls;

    protected string Query => query;

    protected DbDataSource? Source { get; private set; }

    public override void Start(int workers) => Source = open();

    public override void BeforeRound() => Work(0, Math.Max(1, calls / ShareBeforeRound));

    public override void Work(int worker, long calls)
    {
        if (isAsynchronous)
        {
#pragma warning disable VSTHRD002 // The worker is a thread of its own, made to be timed until the last query is done.
            SelectAsync(calls).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
        }
        else
        {
            Select(calls);
        }
    }

    public override long OperationsIn(long calls) => calls;

    public override void Stop()
    {
#pragma warning disable VSTHRD002 // This thread measures the next rival, once the connections of this one are closed.
        Source?.DisposeAsync().AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
        Source = null;
    }

    protected virtual void Select(long calls)
    {
        for (var i = 0L; i < calls; i++)
        {
            using var connection = Source!.OpenConnection();
            Statement.Run(connection, query);
        }
    }

    protected virtual async Task SelectAsync(long calls)
    {
        for (var i = 0L; i < calls; i++)
        {
            var connection = await Source!.OpenConnectionAsync().ConfigureAwait(false);
            await using var _ = connection.ConfigureAwait(false);
            await Statement.RunAsync(connection, query, CancellationToken.None).ConfigureAwait(false);
        }
    }
}
