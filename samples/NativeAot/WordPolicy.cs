using System.Text;
using Poolhouse.Workers;

namespace Poolhouse.Samples.NativeAot;

/// <summary>Overrides every hook of a worker's state.</summary>
internal sealed class WordPolicy : WorkerPolicy<StringBuilder>
{
    public override StringBuilder Create(CancellationToken cancellationToken) => new("word");

    public override bool IsBroken(StringBuilder state) => state.Length > 100;

    public override bool Survives(StringBuilder state, Exception failure) => failure is FormatException;

    public override void Destroy(StringBuilder state, WorkerDestroyReason reason) => state.Clear();
}
