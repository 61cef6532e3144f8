using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel;

/// <summary>A set that holds its members weakly and enumerates those still alive. Thread safe.</summary>
internal sealed class WeakSet<T>
    where T : class
{
    private readonly ConditionalWeakTable<T, object?> _members = [];

    public void Add(T member) => _members.AddOrUpdate(member, null);

    public void Remove(T member) => _members.Remove(member);

    /// <summary>Returns a snapshot, so the caller may take as long as it needs.</summary>
    public List<T> ToList() => [.. _members.Select(static entry => entry.Key)];
}
