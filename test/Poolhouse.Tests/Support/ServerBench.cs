using Poolhouse.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Tests;

/// <summary>A server set whose clock, random numbers and servers are controlled by the test.</summary>
internal sealed class ServerBench
{
    private readonly List<string> _tried = [];

    // An item that is garbage no longer counts, so a collection during a test would change the counts.
    private readonly List<object> _created = [];

    public ServerBench(
        ServerSelection selection = ServerSelection.Ordered, string servers = "ABC", Action<ServerSetOptions>? change = null)
    {
        var options = new ServerSetOptions
        {
            Selection = selection,
            RecheckDelay = TimeSpan.FromSeconds(10),
            MaxRecheckDelay = TimeSpan.FromMinutes(2),
            FailBackAge = TimeSpan.FromMinutes(1),
            TimeProvider = Clock,
        };
        options.With(Random);
        change?.Invoke(options);
        Random.Value = 0;
        Set = new ServerSet<string>(Names(servers), options);
        Random.Value = 1;
    }

    public ManualTimeProvider Clock { get; } = new();

    /// <summary>1: delays are as long as they can be, and every item is the last to fail back.</summary>
    public FixedRandom Random { get; } = new();

    public ServerSet<string> Set { get; }

    public HashSet<string> Down { get; } = new(StringComparer.Ordinal);

    public static IEnumerable<string> Names(string servers) => servers.Select(server => server.ToString());

    /// <summary>The servers that the delegate was called for since the last time, in order.</summary>
    public string TakeTried()
    {
        var tried = string.Concat(_tried);
        _tried.Clear();
        return tried;
    }

    /// <summary>Creates an item that lives as long as this object.</summary>
    public ServerItem<string, Part> Create()
    {
        var item = Set.Create(CreatePart, Timeout.InfiniteTimeSpan);
        _created.Add(item);
        return item;
    }

    public Part CreatePart(string server, CancellationToken cancellationToken)
    {
        _tried.Add(server);
        return Down.Contains(server) ? throw new IOException(server) : new Part(_tried.Count);
    }

    /// <summary>The server of the next item, which is disposed at once.</summary>
    public string Where()
    {
        using var item = Create();
        return item.Server;
    }

    /// <summary>The exception of a failed creation.</summary>
    public Exception Failure() => Assert.ThrowsAny<Exception>(Create);

    public void Fail(string server)
    {
        Down.Add(server);
        Set.ReportFailure(server, new IOException(server));
    }

    public void Advance(double seconds) => Clock.Advance(TimeSpan.FromSeconds(seconds));

    public ServerStatistics<string> Of(string server) =>
        Set.GetStatistics().Single(each => string.Equals(each.Server, server, StringComparison.Ordinal));

    /// <summary>Items on each server, in the order of the list.</summary>
    public IEnumerable<int> Items() => Set.GetStatistics().Select(each => each.Items);
}
