using System.Collections.Concurrent;
using Poolhouse.Workers;

namespace Poolhouse.Samples.ScriptWorkers;

internal sealed class Log : WorkerPoolObserver
{
    public ConcurrentQueue<string> Lines { get; } = new();

    public override void OnFailed(in WorkFailedArgs failed) => Lines.Enqueue($"{failed.Label}: {failed.Failure.Message}");

    public override void OnAbandoned(in WorkAbandonedArgs abandoned) => Lines.Enqueue($"{abandoned.Label} was abandoned.");

    public override void OnStuck(in WorkStuckArgs stuck) => Lines.Enqueue($"{stuck.Label} has been running for a long time.");

    public override void OnDropped(in WorkDroppedArgs dropped) =>
        Lines.Enqueue($"{dropped.Label} never began: {dropped.Reason}.");
}
