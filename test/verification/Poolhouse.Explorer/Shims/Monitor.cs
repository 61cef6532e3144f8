using System.Runtime.CompilerServices;
using Poolhouse.Explorer.Scheduling;
using Gate = Poolhouse.Explorer.Shims.Gate;

#pragma warning disable IDE0130 // The compiler finds what a `lock` statement on any other object calls by this name.
namespace System.Threading;
#pragma warning restore IDE0130

/// <summary>Replaces the framework's monitor, which `lock` on any other object uses.</summary>
internal static class Monitor
{
    private static readonly ConditionalWeakTable<object, Gate> _gates = [];

    public static void Enter(object locked, ref bool taken)
    {
        _gates.GetValue(locked, static _ => new Gate()).Enter();
        taken = true;
    }

    public static void Exit(object locked) => _gates.GetValue(locked, static _ => new Gate()).Exit();

    /// <summary>Releases the lock, and takes it again after a pulse.</summary>
    public static void Wait(object locked)
    {
        var gate = _gates.GetValue(locked, static _ => new Gate());
        var pulses = gate.Pulses;
        gate.Exit();
        Actor.Until(() => gate.Pulses != pulses, "pulse");
        gate.Enter();
    }

    public static void Pulse(object locked) => _gates.GetValue(locked, static _ => new Gate()).Pulses++;
}
