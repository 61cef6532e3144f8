using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Etlx;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>Which methods of a process allocate, connect and create threads, by the stacks in a trace.</summary>
internal sealed class CallSites
{
    private const int ThreadCreating = 70;

    private readonly Dictionary<(AllocationSite Site, bool IsRandom), Allocations> _allocations = [];
    private readonly Dictionary<(string Address, int Port), Dictionary<string, int>> _connects = [];
    private readonly Dictionary<string, int> _threads = new(StringComparer.Ordinal);
    private int _allThreads;

    /// <summary>Where the application creates threads; empty if it does not.</summary>
    public string ThreadSite => Most(_threads);

    /// <summary>The part of the threads that the application created itself, not the thread pool.</summary>
    public double ShareOfAppThreads => _allThreads > 0 ? (double)_threads.Values.Sum() / _allThreads : 0;

    /// <exception cref="Exception">The trace cannot be read; it may be cut off.</exception>
    public void Read(string trace)
    {
        var converted = TraceLog.CreateFromEventPipeDataFile(
            trace, trace + ".etlx", new TraceLogOptions { ContinueOnError = true });
        using var log = new TraceLog(converted);
        foreach (var each in log.Events)
        {
            Add(each);
        }
    }

    /// <summary>Where the connections to an address are opened; empty if it is not known.</summary>
    public string ConnectSiteOf((string Address, int Port) peer) => _connects.TryGetValue(peer, out var sites) ? Most(sites) : "";

    /// <summary>The places that allocate, the most first.</summary>
    /// <param name="allocated">The bytes a second of all of them together.</param>
    public IReadOnlyList<AllocationSite> AllocationsOf(double allocated)
    {
        var isRandom = _allocations.Keys.Any(each => each.IsRandom);
        var all = _allocations.Where(each => each.Key.IsRandom == isRandom).ToList();
        var sum = all.Sum(each => each.Value.Bytes);
        return
        [
            .. from each in all
               orderby each.Value.Bytes descending
               select each.Key.Site with
               {
                   Bytes = allocated * each.Value.Bytes / Math.Max(sum, 1),
                   Size = each.Value.Size,
                   IsLarge = each.Value.LargeBytes > each.Value.Bytes / 2,
               },
        ];
    }

    private void Add(TraceEvent each)
    {
        if (Allocations.Of(each) is { } allocation)
        {
            var key = (Frames.Of(each.CallStack()).AllocationOf(allocation.Type), allocation.IsRandom);
            if (!_allocations.TryGetValue(key, out var allocations))
            {
                _allocations[key] = allocations = new Allocations();
            }

            allocations.Add(allocation.Bytes, allocation.Size);
        }
        else if (each.ProviderName == Providers.Sockets && (int)each.ID == 1
            && PeerAddress.Parse(each.PayloadByName("address") as string) is { } peer)
        {
            if (!_connects.TryGetValue(peer, out var sites))
            {
                _connects[peer] = sites = new Dictionary<string, int>(StringComparer.Ordinal);
            }

            Count(sites, Frames.Of(each.CallStack()).Method);
        }
        else if (each.ProviderName == Providers.Runtime && (int)each.ID == ThreadCreating)
        {
            _allThreads++;
            if (Frames.Of(each.CallStack()) is { IsThreadPool: false, Method: { Length: > 0 } method })
            {
                Count(_threads, method);
            }
        }
    }

    private static void Count(Dictionary<string, int> counts, string key)
    {
        if (key.Length > 0)
        {
            counts[key] = counts.GetValueOrDefault(key) + 1;
        }
    }

    private static string Most(Dictionary<string, int> counts) =>
        counts.Count == 0 ? "" : counts.MaxBy(each => each.Value).Key;
}
