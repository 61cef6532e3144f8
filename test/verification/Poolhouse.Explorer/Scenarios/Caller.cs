using Poolhouse.Explorer.Scheduling;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>A caller in the queue that remembers when it came in and went out.</summary>
internal sealed class Caller(CoreBench bench) : Waiter<Part>
{
    private int _asked;

    // The queue reads this under the gate when it adds a waiter and when it removes it, and nowhere else: a ticket for both.
    public override bool IsSynchronous
    {
        get
        {
            var ticket = bench.NextTicket();
            CameIn = _asked == 0 ? ticket : CameIn;
            WentOut = _asked == 1 ? ticket : WentOut;
            _asked++;
            return false;
        }
    }

    public int CameIn { get; private set; }

    public int WentOut { get; private set; } = int.MaxValue;

    public int Wakes { get; private set; }

    public bool WasQueued => _asked > 0;

    public override void Wake()
    {
        Actor.Step("wake", "caller");
        Wakes++;
    }

    /// <summary>Like the callback of a cancellation token, which is registered only for a waiter.</summary>
    public void Cancel()
    {
        if (WasQueued && TryComplete(WaitOutcome.Cancelled))
        {
            bench.Core.Withdraw(this, bench.Now);
            Wake();
        }
    }
}
