using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel;

/// <summary>The living members of a set that keeps none of them alive. Thread safe.</summary>
internal sealed class WeakSet<T>
    where T : class
{
    private readonly ConditionalWeakTable<T, object?> _members = [];

    public void Add(T member) => _members.AddOrUpdate(member, null);

    public void Remove(T member) => _members.Remove(member);

    /// <summary>A snapshot: the caller may take its time.</summary>
    public List<T> ToList()
    {
        var living = new List<T>();
        foreach (var (member, _) in _members)
        {
            living.Add(member);
        }

        return living;
    }
}
