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
    private TimeSpan _rentsObserved;
    private int _missed;
    private bool _isRandom;
    private TimeSpan _observed;
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

    public bool HasReasonForStacks
    {
        get
        {
            lock (_lock)
            {
                // Until the first round is over, it has been observed all the time.
                var observed = _observed > TimeSpan.Zero ? _observed : TimeProvider.System.GetUtcNow().UtcDateTime - Start;
                return _types.Values.Sum(each => each.Bytes) / Math.Max(observed.TotalSeconds, 0.01) >= ReasonByBytes
                    || _peers.Values.Any(each => each.Count >= ReasonByCount) || _threads.Count >= ReasonByCount;
            }
        }
    }

    /// <summary>When the time began, in UTC.</summary>
    public DateTime Start { get; set; } = DateTime.MaxValue;

    /// <summary>When an event was, from 0 for the start of the time to 1 for its end.</summary>
    public double MomentOf(DateTime happened) => (happened.ToUniversalTime() - Start) / time;

    public void CountRare(EventPipeEventSource source)
    {
        source.Clr.GCStart += Add;
        source.Clr.GCSuspendEEStart += each => Pause(each.TimeStamp);
        source.Clr.GCRestartEEStop += each => Resume(each.TimeStamp);
        source.Clr.GCHeapStats += Add;
        source.Clr.All += AddThread;
        OnEvents(source, Providers.Sockets, AddConnect);
        OnEvents(source, Providers.Names, AddLookUp);
        foreach (var provider in (string[])[Providers.Npgsql, Providers.SqlClient, Providers.EntityFramework])
        {
            OnEvents(source, provider, AddCounter);
        }
    }

    public void CountFrequent(EventPipeEventSource source, Round round)
    {
        void AddToRound(TraceEvent each)
        {
            AddAllocation(each);
            round.Add(source.SessionStartTime, each.TimeStamp);
        }

        source.Clr.GCAllocationTick += AddToRound;
        source.Clr.AllocationSampling += AddToRound;
        OnEvents(source, Providers.Http, each =>
        {
            AddHttp(each);
            round.Add(source.SessionStartTime, each.TimeStamp);
        });
    }

    public void CountRents(EventPipeEventSource source, Round round) => OnEvents(source, Providers.ArrayPool, each =>
    {
        round.Add(source.SessionStartTime, each.TimeStamp);
        AddArray(each);
        lock (_lock)
        {
            _rented += (int)each.ID == 1 ? 1 : 0;
            _returned += (int)each.ID == 3 ? 1 : 0;
        }
    });

    /// <summary>Adds the time of a round that is over.</summary>
    /// <param name="round">The round.</param>
    /// <param name="began">When its session was known to have begun, in UTC: some time afterwards.</param>
    /// <param name="stopped">When it was stopped, in UTC.</param>
    public void Add(Round round, DateTime began, DateTime stopped)
    {
        lock (_lock)
        {
            _observed += Observed(round, began, stopped);
        }
    }

    /// <summary>Adds the time in which rents were counted.</summary>
    /// <inheritdoc cref="Add(Round, DateTime, DateTime)"/>
    public void AddRents(Round round, DateTime began, DateTime stopped)
    {
        lock (_lock)
        {
            _rentsObserved = Observed(round, began, stopped);
        }
    }

    public Sample Summarize(
        TimeSpan elapsed, double cores, CallSites? sites, IReadOnlyList<Peer> native, IReadOnlyList<Diagnosis> pools)
    {
        lock (_lock)
        {
            var seconds = Math.Max(_observed.TotalSeconds, 0.001);
            var bytes = _types.Values.Sum(each => each.Bytes) / seconds;
            return new Sample
            {
                Time = elapsed,
                Cores = cores,
                Allocated = bytes,
                AllocatedLarge = _types.Values.Sum(each => each.LargeBytes) / seconds,
                Kept = KeptOf(bytes),
                Collections = [.. _collections],
                Paused = _paused / elapsed,
                Sites = sites?.AllocationsOf(bytes) ?? TypesAsSites(seconds),
                Http =
                [
                    .. _hosts.Select(each => new HttpHost(each.Key, each.Value.Requests, each.Value.Connections.Occurrences)),
                ],
                Peers = [.. PeersOf(sites, native).OrderByDescending(each => each.Connections.Count)],
                LookUps = _lookUps.Occurrences,
                Threads = _threads.Occurrences,
                ThreadsOfApp = sites?.ShareOfAppThreads ?? 0,
                ThreadSite = sites?.ThreadSite ?? "",
                ArrayPool = new ArrayPoolUse
                {
                    Allocated = new Occurrences(
                        (int)(_missed * (elapsed / Longest(_rentsObserved))), _missed > 0 ? Occurrences.AllParts : 0),
                    Elements = _elements / Longest(_rentsObserved).TotalSeconds,
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

    // A full round ended with its last event: the session was stopped somewhat later.
    private static TimeSpan Observed(Round round, DateTime began, DateTime stopped) =>
        round.Full.IsCompleted ? round.UntilLast : stopped - (round.Began?.ToUniversalTime() ?? began);

    private static TimeSpan Longest(TimeSpan observed) => observed > TimeSpan.Zero ? observed : TimeSpan.FromMilliseconds(1);

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
                case 2:
                    _missed++;
                    _elements += each.PayloadByName("bufferSize") is int elements ? elements : 0;
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
    private IEnumerable<Peer> PeersOf(CallSites? sites, IReadOnlyList<Peer> native)
    {
        foreach (var (peer, connections) in _peers)
        {
            if (!_httpPeers.Contains(peer))
            {
                yield return new Peer(
                    peer.Address, peer.Port, connections.Occurrences, IsNative: false, sites?.ConnectSiteOf(peer) ?? "");
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
