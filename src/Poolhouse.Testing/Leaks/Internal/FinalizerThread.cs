using System.Runtime.CompilerServices;

namespace Poolhouse.Testing.Leaks;

/// <summary>Recognizes the thread that runs finalizers. The runtime has one.</summary>
internal static class FinalizerThread
{
    private static int _number;

    /// <summary>Whether the current thread runs finalizers. False until <see cref="Find"/> was called.</summary>
    public static bool IsCurrent => Volatile.Read(ref _number) == System.Environment.CurrentManagedThreadId;

    /// <summary>Lets a finalizer run, which records its thread.</summary>
    // Objects that are created from now on are finalized later, so nothing waits for it.
    public static void Find()
    {
        if (Volatile.Read(ref _number) == 0)
        {
            CreateGarbage();
            GC.Collect(0, GCCollectionMode.Forced, blocking: true);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CreateGarbage() => _ = new Probe();

    private sealed class Probe
    {
#pragma warning disable MA0055 // It exists for its finalizer.
        ~Probe() => Volatile.Write(ref _number, System.Environment.CurrentManagedThreadId);
#pragma warning restore MA0055
    }
}
