namespace Poolhouse.Workers;

/// <summary>Items of work in order; each is taken out of the middle without a search. Under a lock of its lane.</summary>
internal sealed class WorkList
{
    private WorkItem? _last;

    public WorkItem? First { get; private set; }

    public bool IsEmpty => First is null;

    public void AddLast(WorkItem item)
    {
        item.List = this;
        item.Previous = _last;
        if (_last is null)
        {
            First = item;
        }
        else
        {
            _last.Next = item;
        }

        _last = item;
    }

    public WorkItem? TakeFirst()
    {
        var item = First;
        if (item is null)
        {
            return null;
        }

        var next = item.Next;
        First = next;
        if (next is null)
        {
            _last = null;
        }
        else
        {
            next.Previous = null;
            item.Next = null;
        }

        item.List = null;
        return item;
    }

    public void Remove(WorkItem item)
    {
        if (item.Previous is { } previous)
        {
            previous.Next = item.Next;
        }
        else
        {
            First = item.Next;
        }

        if (item.Next is { } next)
        {
            next.Previous = item.Previous;
        }
        else
        {
            _last = item.Previous;
        }

        item.Previous = null;
        item.Next = null;
        item.List = null;
    }
}
