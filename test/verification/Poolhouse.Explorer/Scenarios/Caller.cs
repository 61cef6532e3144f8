using Poolhouse.Explorer.Scheduling;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>A caller in the queue that records when it entered and left.</summary>
internal sealed class Caller(CoreBench bench) : Waiter<ResourceEntry<Part>>
{
    private int _reads;

    // The queue reads this under the gate when it adds a waiter and when it removes it, and nowhere else: a ticket for both.
    public override bool IsSynchronous
    {
        get
        {
            var ticket = bench.NextTicket();
            EntryTicket = _reads == 0 ? ticket : EntryTicket;
            ExitTicket = _reads == 1 ? ticket : ExitTicket;
            _reads++;
            return false;
        }
    }

    public int EntryTicket { get; private set; }

    public int ExitTicket { get; private set; } = int.MaxValue;

    public int Wakes { get; private set; }

    public bool WasQueued => _reads > 0;

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
