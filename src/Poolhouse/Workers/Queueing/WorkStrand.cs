using Poolhouse.Kernel;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>
/// The items of one key: one of them is runnable or runs, the others wait behind it. Under the intake lock of its lane.
/// </summary>
internal sealed class WorkStrand(object key, int hashCode)
{
    private int _members;

    public object Key => key;

    /// <summary>That of the key when the strand began.</summary>
    public int HashCode => hashCode;

    public IntrusiveList<WorkItem> Waiting { get; } = new();

    /// <summary>Whether one of them is runnable or runs.</summary>
    public bool IsLed { get; set; }

    /// <summary>Whether it is about to be forgotten, so that nobody joins it any more.</summary>
    public bool IsClosed { get; private set; }

    public void Join() => _members++;

    /// <returns>This, if nobody is left and it is to be forgotten.</returns>
    public WorkStrand? Leave()
    {
        _members--;
        return CloseIfEmpty();
    }

    /// <returns>This, if there is nobody and it is to be forgotten.</returns>
    public WorkStrand? CloseIfEmpty()
    {
        IsClosed = _members == 0;
        return IsClosed ? this : null;
    }
}
