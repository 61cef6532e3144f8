using System.Diagnostics;

namespace Poolhouse.Kernel.Misuse;

/// <summary>When, and if recorded where, an item was rented or returned. <c>default</c> if that was not sampled.</summary>
/// <param name="IsSampled">Whether the rent was sampled.</param>
/// <param name="Time">When, by the coarse clock of the pool.</param>
/// <param name="Stack">The call stack, if it was recorded.</param>
internal readonly record struct LeaseSite(bool IsSampled, long Time, StackTrace? Stack)
{
    /// <summary>The frames of the program itself; null if the stack was not recorded.</summary>
    public StackTrace? Frames => Stack is null ? null : CallerFrames.Of(Stack);

    public TimeSpan? Elapsed(PoolClock clock) => IsSampled ? clock.Span(clock.Coarse - Time) : null;
}
