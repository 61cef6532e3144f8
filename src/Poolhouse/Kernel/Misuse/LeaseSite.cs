using System.Diagnostics;

namespace Poolhouse.Kernel.Misuse;

/// <summary>When, and if recorded where, an item was rented or returned. <c>default</c> if that was not sampled.</summary>
/// <param name="IsSampled">Whether the rent was sampled.</param>
/// <param name="Timestamp">A timestamp of the pool's clock.</param>
/// <param name="Stack">The call stack, if it was recorded.</param>
internal readonly record struct LeaseSite(bool IsSampled, long Timestamp, StackTrace? Stack)
{
    /// <summary>The frames of the program itself; null if the stack was not recorded.</summary>
    public StackTrace? Frames => Stack is null ? null : CallerFrames.Of(Stack);

    public TimeSpan? Elapsed(TimeProvider time) => IsSampled ? time.GetElapsedTime(Timestamp) : null;
}
