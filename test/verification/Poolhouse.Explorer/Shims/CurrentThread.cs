using Poolhouse.Explorer.Scheduling;

#pragma warning disable IDE0130 // It replaces the type of this name, whose source is left out of the second compilation.
namespace Poolhouse.Kernel.Threading;
#pragma warning restore IDE0130

/// <summary>Interrupts the running actor.</summary>
internal static class CurrentThread
{
    public static void Interrupt() => Actor.Current?.Interrupt();

    public static void KeepInterrupt(Exception thrown)
    {
        if (thrown is ThreadInterruptedException)
        {
            Interrupt();
        }
    }

    public static void DiscardInterrupt() => Actor.Current?.DiscardInterrupt();
}
