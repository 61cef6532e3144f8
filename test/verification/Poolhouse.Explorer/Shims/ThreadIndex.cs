using Poolhouse.Explorer.Scheduling;

#pragma warning disable IDE0130 // It replaces the type of this name, whose source is left out of the second compilation.
namespace Poolhouse.Kernel.Threading;
#pragma warning restore IDE0130

/// <summary>The number of the running actor; 0 during the setup.</summary>
internal static class ThreadIndex
{
    public static int Current => Actor.Current is { } actor ? actor.Number + 1 : 0;

    public static int GetOrAssign() => Current;
}
