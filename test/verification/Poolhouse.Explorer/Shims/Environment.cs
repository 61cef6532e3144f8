using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Shims;

/// <summary>The same values on every machine, so that a schedule found on one replays on another.</summary>
internal static class Environment
{
    public static int ProcessorCount => 2;

    public static long TickCount64 => 0;

    public static bool HasShutdownStarted => false;

    /// <summary>A point where the scheduler may switch: other actors compare it with what this actor is about to write.</summary>
    public static int CurrentManagedThreadId
    {
        get
        {
            Actor.Step("read", "the number of the thread");
            return System.Environment.CurrentManagedThreadId;
        }
    }
}
