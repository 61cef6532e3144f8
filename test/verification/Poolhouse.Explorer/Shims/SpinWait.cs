using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Shims;

/// <summary>Spinning waits for another actor, so another actor continues.</summary>
internal readonly struct SpinWait
{
#pragma warning disable CA1822 // The framework's is not static either.
    public void SpinOnce() => Actor.Yield();
#pragma warning restore CA1822
}
