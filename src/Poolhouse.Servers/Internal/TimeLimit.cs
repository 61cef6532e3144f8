namespace Poolhouse.Servers.Internal;

/// <summary>A source of tokens for user code, which is cancelled after a time.</summary>
// A CancellationTokenSource with a time of its own ends the process if a callback of its token throws, because it has no caller.
// MySqlConnector's callback throws if the session of the statement to cancel is already closed.
internal sealed class TimeLimit : CancellationTokenSource
{
    private readonly ITimer _timer;

    public TimeLimit(TimeSpan time, TimeProvider provider) => _timer = Kernel.Threading.ExecutionContextFlow.RunSuppressed(
        (Limit: this, Time: time, Provider: provider),
        static start => start.Provider.CreateTimer(
            static limit => Kernel.UserCode.Cancel((TimeLimit)limit!), start.Limit, start.Time, Timeout.InfiniteTimeSpan));

    protected override void Dispose(bool disposing)
    {
        _timer.Dispose();
        base.Dispose(disposing);
    }
}
