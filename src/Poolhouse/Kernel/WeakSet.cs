using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Kernel;

/// <summary>A set that holds its members weakly and enumerates those still alive. Thread safe.</summary>
internal sealed class WeakSet<T>
    where T : class
{
    private readonly ConditionalWeakTable<T, object?> _members = [];

    // The table has a lock of its own, where a thread can be interrupted.
    public void Add(T member) =>
        Interrupts.Defer((_members, member), static change => change._members.AddOrUpdate(change.member, null));

    public void Remove(T member) => Interrupts.Defer((_members, member), static change => change._members.Remove(change.member));

    /// <summary>Returns a snapshot, so the caller may take as long as it needs.</summary>
    public List<T> ToList() => Interrupts.Defer(_members, static members =>
    {
        var living = new List<T>();
        foreach (var (member, _) in members)
        {
            living.Add(member);
        }

        return living;
    });
}
