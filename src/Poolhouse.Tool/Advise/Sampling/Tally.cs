using System.Globalization;
using System.Net;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>Counts the events of a process. Thread safe: each session is read by a thread of its own.</summary>
internal sealed class Tally(TimeSpan time)
{
    // Above these, there may be something to say, and the stacks are worth their cost.
    private const double ReasonByBytes = 2 << 20;
    private const int ReasonByCount = 3;

    private const int ThreadCreated = 85;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Allocations> _types = new(StringComparer.Ordinal);
    private readonly Dictionary<string, (int Requests, Timeline Connections)> _hosts = new(StringComparer.Ordinal);
    private readonly HashSet<(string Address, int Port)> _httpPeers = [];
    private readonly Dictionary<(string Address, int Port), Timeline> _peers = [];
    private readonly Dictionary<string, (double Sum, int Count)> _counters = new(StringComparer.Ordinal);
    private readonly int[] _collections = new int[3];
    private readonly Timeline _lookUps = new();
    private readonly Timeline _threads = new();
    private int _missed;
    private bool _isRandom;
    private TimeSpan _paused;
    private DateTime? _pausedAt;
    private (DateTime Time, double Bytes)? _firstHeap;
    private (DateTime Time, double Bytes)? _lastHeap;
    private double _elements;
    private int _dropped;
    private int _trimmed;
    private int _rented;
    private int _returned;

    /// <summary>Whether the process samples its allocations at random.</summary>
    public bool IsRandom
    {
        get
        {
            lock (_lock)
            {
                return _isRandom;
            }
        }
    }

    // Allocations and requests come by the million. The sample of an allocation includes the name of its type, and costs the
    // process up to 60 microseconds; an event about a request costs a few, and one about a collection costs one. A connection
    // costs ten, but a process that opens many does little else.
    public Rounds Collections { get; } = new(1500, number: 5);

    public Rounds Openings { get; } = new(500, number: 10);

    public Rounds Allocated { get; } = new(300, number: 5);

    public Rounds Requests { get; } = new(2000, number: 7);

    public Rounds Rents { get; } = new(3000, number: 1);

    /// <summary>Whether it is worth knowing where the process allocates.</summary>
    public bool Allocates
    {
        get
        {
            lock (_lock)
            {
                return _types.Values.Sum(each => each.Bytes) / SecondsOf(Allocated) >= ReasonByBytes;
            }
        }
    }

    /// <summary>Whether it is worth knowing where the process opens connections and creates threads.</summary>
    public bool Opens
    {
        get
        {
            lock (_lock)
            {
                return _threads.Count >= ReasonByCount || _peers.Values.Any(each => each.Count >= ReasonByCount);
            }
        }
    }

    /// <summary>When the time began, in UTC.</summary>
    public DateTime Start { get; set; } = DateTime.MaxValue;

    /// <summary>When an event was, from 0 for the start of the time to 1 for its end.</summary>
    public double MomentOf(DateTime happened) => (happened.ToUniversalTime() - Start) / time;

    public void CountLasting(EventPipeEventSource source)
    {
        source.Clr.All += AddThread;
        foreach (var provider in (string[])[Providers.Npgsql, Providers.SqlClient, Providers.EntityFramework])
        {
            OnEvents(source, provider, AddCounter);
        }
    }

    public void CountCollections(EventPipeEventSource source)
    {
        source.Clr.GCStart += Add;
        source.Clr.GCSuspendEEStart += each => Pause(each.TimeStamp);
        source.Clr.GCRestartEEStop += each => Resume(each.TimeStamp);
        source.Clr.GCHeapStats += Add;

        // A pause that an earlier session saw begin ended after it.
        lock (_lock)
        {
            _pausedAt = null;
        }
    }

    public void CountOpenings(EventPipeEventSource source)
    {
        OnEvents(source, Providers.Sockets, AddConnect);
        OnEvents(source, Providers.Names, AddLookUp);
    }

    public void CountAllocations(EventPipeEventSource source)
    {
        source.Clr.GCAllocationTick += AddAllocation;
        source.Clr.AllocationSampling += AddAllocation;
    }

    public void CountRequests(EventPipeEventSource source) => OnEvents(source, Providers.Http, AddHttp);

    public void CountRents(EventPipeEventSource source) => OnEvents(source, Providers.ArrayPool, AddArray);

    public Sample Summarize(
        TimeSpan elapsed, double cores, CallSites? sites, IReadOnlyList<Peer> native, IReadOnlyList<Diagnosis> pools)
    {
        lock (_lock)
        {
            var seconds = SecondsOf(Allocated);
            var bytes = _types.Values.Sum(each => each.Bytes) / seconds;
            var opened = elapsed.TotalSeconds / SecondsOf(Openings);
            var requested = elapsed.TotalSeconds / SecondsOf(Requests);
            var collected = Collections.FactorTo(elapsed, _collections.Sum());
            return new Sample
            {
                Time = elapsed,
                AllocationsSeen = Allocated.Seen,
                CollectionsSeen = Collections.Seen,
                OpeningsSeen = Openings.Seen,
                RequestsSeen = Requests.Seen,
                Cores = cores,
                Allocated = bytes,
                AllocatedLarge = _types.Values.Sum(each => each.LargeBytes) / seconds,
                Kept = KeptOf(bytes),
                Collections = [.. _collections.Select(count => (int)Math.Round(count * collected))],
                Paused = _paused.TotalSeconds / SecondsOf(Collections),
                Sites = sites?.AllocationsOf(bytes) ?? TypesAsSites(seconds),
                Http =
                [
                    .. _hosts.Select(each => new HttpHost(
                        each.Key, (int)Math.Round(each.Value.Requests * requested),
                        each.Value.Connections.Occurrences.Times(requested))),
                ],
                Peers = [.. PeersOf(sites, native, opened).OrderByDescending(each => each.Connections.Count)],
                LookUps = _lookUps.Occurrences.Times(opened),
                Threads = _threads.Occurrences,
                ThreadsOfApp = sites?.ShareOfAppThreads ?? 0,
                ThreadSite = sites?.ThreadSite ?? "",
                ArrayPool = new ArrayPoolUse
                {
                    Allocated = new Occurrences(_missed, _missed > 0 ? Occurrences.AllParts : 0)
                        .Times(elapsed.TotalSeconds / SecondsOf(Rents)),
                    Elements = _elements / SecondsOf(Rents),
                    Dropped = _dropped,
                    Trimmed = _trimmed,
                    Rented = _rented,
                    Returned = _returned,
                    Missed = _missed,
                },
                Counters = _counters.ToDictionary(
                    each => each.Key, each => each.Value.Sum / each.Value.Count, StringComparer.Ordinal),
                Pools = pools,
            };
        }
    }

    private static double SecondsOf(Rounds rounds) => Math.Max(rounds.Seen.TotalSeconds, 0.001);

    private static void OnEvents(EventPipeEventSource source, string provider, Action<TraceEvent> add) =>
        source.Dynamic.AddCallbackForProviderEvent(provider, eventName: null, add);

    private void Add(GCStartTraceData each)
    {
        lock (_lock)
        {
            _collections[Math.Clamp(each.Depth, 0, 2)]++;
        }
    }

    private void Pause(DateTime at)
    {
        lock (_lock)
        {
            _pausedAt = at;
        }
    }

    private void Resume(DateTime at)
    {
        lock (_lock)
        {
            _paused += _pausedAt is { } began && at > began ? at - began : TimeSpan.Zero;
            _pausedAt = null;
        }
    }

    private void Add(GCHeapStatsTraceData each)
    {
        lock (_lock)
        {
            var heap = (each.TimeStamp, (double)each.TotalHeapSize);
            _firstHeap ??= heap;
            _lastHeap = heap;
        }
    }

    private void AddThread(TraceEvent each)
    {
        if ((int)each.ID != ThreadCreated)
        {
            return;
        }

        lock (_lock)
        {
            _threads.Add(MomentOf(each.TimeStamp));
        }
    }

    private void AddAllocation(TraceEvent each)
    {
        if (Allocations.Of(each) is not { } allocation)
        {
            return;
        }

        lock (_lock)
        {
            if (allocation.IsRandom && !_isRandom)
            {
                // What the older events said until now is less exact.
                _isRandom = true;
                _types.Clear();
            }

            if (allocation.IsRandom != _isRandom)
            {
                return;
            }

            if (!_types.TryGetValue(allocation.Type, out var type))
            {
                _types[allocation.Type] = type = new Allocations();
            }

            type.Add(allocation.Bytes, allocation.Size);
        }
    }

    private void AddHttp(TraceEvent each)
    {
        lock (_lock)
        {
            switch ((int)each.ID)
            {
                case 1:
                    var asked = NameOf(each);
                    var (requests, connections) = HostOf(asked);
                    _hosts[asked] = (requests + 1, connections);
                    break;
                case 4:
                    HostOf(NameOf(each)).Connections.Add(MomentOf(each.TimeStamp));
                    foreach (var field in (string[])["remoteAddress", "host"])
                    {
                        if (IPAddress.TryParse(each.PayloadByName(field) as string, out var address))
                        {
                            _httpPeers.Add((PeerAddress.Plain(address), PortOf(each)));
                        }
                    }

                    break;
            }
        }
    }

    // Before .NET 8, the event about a connection does not have its host.
    private static string NameOf(TraceEvent each) => each.PayloadByName("host") is string host
        ? string.Create(CultureInfo.InvariantCulture, $"{each.PayloadByName("scheme")}://{host}:{PortOf(each)}")
        : "";

    private static int PortOf(TraceEvent each) => each.PayloadByName("port") is int port ? port : 0;

    private (int Requests, Timeline Connections) HostOf(string name) =>
        _hosts.TryGetValue(name, out var host) ? host : _hosts[name] = (0, new Timeline());

    private void AddConnect(TraceEvent each)
    {
        if ((int)each.ID != 1 || PeerAddress.Parse(each.PayloadByName("address") as string) is not { } address)
        {
            return;
        }

        lock (_lock)
        {
            if (!_peers.TryGetValue(address, out var peer))
            {
                _peers[address] = peer = new Timeline();
            }

            peer.Add(MomentOf(each.TimeStamp));
        }
    }

    private void AddLookUp(TraceEvent each)
    {
        if ((int)each.ID == 1)
        {
            lock (_lock)
            {
                _lookUps.Add(MomentOf(each.TimeStamp));
            }
        }
    }

    private void AddArray(TraceEvent each)
    {
        lock (_lock)
        {
            switch ((int)each.ID)
            {
                case 1:
                    _rented++;
                    break;
                case 2:
                    _missed++;
                    _elements += each.PayloadByName("bufferSize") is int elements ? elements : 0;
                    break;
                case 3:
                    _returned++;
                    break;
                case 4:
                    _trimmed++;
                    break;
                case 6:
                    _dropped++;
                    break;
            }
        }
    }

    private void AddCounter(TraceEvent each)
    {
        if (each.EventName != "EventCounters" || each.PayloadValue(0) is not IDictionary<string, object> outer
            || !outer.TryGetValue("Payload", out var inner) || inner is not IDictionary<string, object> counter
            || !counter.TryGetValue("Name", out var name)
            || !(counter.TryGetValue("Increment", out var value) || counter.TryGetValue("Mean", out value)))
        {
            return;
        }

        lock (_lock)
        {
            var key = $"{each.ProviderName}/{name}";
            var (sum, count) = _counters.GetValueOrDefault(key);
            _counters[key] = (sum + Convert.ToDouble(value, CultureInfo.InvariantCulture), count + 1);
        }
    }

    /// <summary>The part of what was allocated between the first and the last collection by which the heap grew.</summary>
    private double? KeptOf(double bytes)
    {
        if (_firstHeap is not { } first || _lastHeap is not { } last || last.Time <= first.Time)
        {
            return null;
        }

        var allocated = bytes * (last.Time - first.Time).TotalSeconds;
        return allocated > 0 ? Math.Clamp((last.Bytes - first.Bytes) / allocated, 0, 1) : null;
    }

    private List<AllocationSite> TypesAsSites(double seconds) =>
    [
        .. from type in _types
           orderby type.Value.Bytes descending
           select new AllocationSite(type.Key, "", AllocationWay.Direct, "")
           {
               Bytes = type.Value.Bytes / seconds,
               Size = type.Value.Size,
               IsLarge = type.Value.LargeBytes > type.Value.Bytes / 2,
           },
    ];

    // HttpClient's own connections are judged by host.
    private IEnumerable<Peer> PeersOf(CallSites? sites, IReadOnlyList<Peer> native, double factor)
    {
        foreach (var (peer, connections) in _peers)
        {
            if (!_httpPeers.Contains(peer))
            {
                yield return new Peer(
                    peer.Address, peer.Port, connections.Occurrences.Times(factor), IsNative: false, sites?.ConnectSiteOf(peer) ?? "");
            }
        }

        foreach (var peer in native)
        {
            if (!_peers.ContainsKey((peer.Address, peer.Port)) && !_httpPeers.Contains((peer.Address, peer.Port)))
            {
                yield return peer;
            }
        }
    }
}
