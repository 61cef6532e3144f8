using Poolhouse.Kernel;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>
/// The items of one key: one of them is runnable or running, the others wait behind it. Guarded by the intake lock of its lane.
/// </summary>
internal sealed class KeyStrand(object key, int hashCode)
{
    private int _members;

    public object Key => key;

    /// <summary>The hash code of the key when the strand was created.</summary>
    public int HashCode => hashCode;

    public IntrusiveList<WorkItem> Waiting { get; } = new();

    /// <summary>Whether one of the items is runnable or running.</summary>
    public bool HasActiveItem { get; set; }

    /// <summary>Whether the strand is about to be removed, so that no item may join it any longer.</summary>
    public bool IsClosed { get; private set; }

    public void Join() => _members++;

    /// <returns>This strand, if it has no members left and is to be removed; otherwise null.</returns>
    public KeyStrand? Leave()
    {
        _members--;
        return CloseIfEmpty();
    }

    /// <returns>This strand, if it has no members and is to be removed; otherwise null.</returns>
    public KeyStrand? CloseIfEmpty()
    {
        IsClosed = _members == 0;
        return IsClosed ? this : null;
    }
}
