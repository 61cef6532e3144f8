namespace Poolhouse.Servers.Internal;

/// <summary>A source of tokens for code of others, cancelled when its time is over.</summary>
// A CancellationTokenSource with a time of its own ends the process if a callback of its token throws: there is no caller.
// MySqlConnector's does when the session of the statement that it should cancel is already closed.
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
