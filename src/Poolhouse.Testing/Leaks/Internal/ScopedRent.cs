using System.Diagnostics;
using Poolhouse.Kernel.Misuse;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Testing.Leaks;

/// <summary>A rent in a scope of a test.</summary>
internal sealed class ScopedRent(RentScope scope, string pool, PoolClock clock, LeaseSite site)
{
    /// <summary>The name of the pool.</summary>
    public string PoolName => pool;

    /// <summary>How long ago the item was rented, by the pool's clock; zero if the rent was not sampled.</summary>
    public TimeSpan Age => site.Elapsed(clock) is { } age && age > TimeSpan.Zero ? age : TimeSpan.Zero;

    /// <summary>Where the item was rented, if that was recorded.</summary>
    public StackTrace? Site => site.Frames;

    /// <summary>Ends the rent, unless that has happened. The item was returned, or belongs to its user from now on.</summary>
    // An item that a finalizer returns was forgotten. Without its finalizer, which may or may not have run, it would be a leak.
    public void End()
    {
        if (!FinalizerThread.IsCurrent)
        {
            scope.Remove(this);
        }
    }
}
