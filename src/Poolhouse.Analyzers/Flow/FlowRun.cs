using Microsoft.CodeAnalysis.FlowAnalysis;

namespace Poolhouse.Analyzers.Flow;

/// <summary>
/// The states of one run: of the whole graph, or of a finally region for one branch that leaves its try region.
/// </summary>
internal sealed class FlowRun
{
    private readonly Dictionary<int, ItemState[]> _entries = new();
    private readonly SortedSet<int> _work = new();

    public FlowRun(ControlFlowRegion? region, FlowRun? outer)
    {
        Region = region;
        Outer = outer;
    }

    /// <summary>The finally region that is run; null for the whole graph.</summary>
    public ControlFlowRegion? Region { get; }

    /// <summary>The run in which the branch was taken.</summary>
    public FlowRun? Outer { get; }

    /// <summary>The state at the end of the finally region; null if no path leads there.</summary>
    public ItemState[]? Result { get; private set; }

    public IEnumerable<int> Reached => _entries.Keys.OrderBy(ordinal => ordinal);

    public ItemState[]? EntryOf(BasicBlock block) => _entries.TryGetValue(block.Ordinal, out var state) ? state : null;

    public void Add(BasicBlock block, ItemState[] state)
    {
        _entries.TryGetValue(block.Ordinal, out var known);
        var joined = FlowAnalysis.Join(known, state, out var changed);
        if (changed)
        {
            _entries[block.Ordinal] = joined;
            _work.Add(block.Ordinal);
        }
    }

    public int? Next()
    {
        if (_work.Count == 0)
        {
            return null;
        }

        var first = _work.Min;
        _work.Remove(first);
        return first;
    }

    public void End(ItemState[] state) => Result = FlowAnalysis.Join(Result, state, out _);
}
