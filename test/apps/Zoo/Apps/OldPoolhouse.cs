using System.Diagnostics.Tracing;

namespace Zoo.Apps;

/// <summary>An event source as in a version of Poolhouse that reported less of a pool.</summary>
internal sealed class OldPoolhouse : App
{
    private readonly Source _source = new();

    public override int PerSecond => 10;

    public override ValueTask DoAsync()
    {
        _source.Pool(1, "orders");
        _source.Snapshots(1, 100_000, "0.1.0");
        return default;
    }

    protected override ValueTask EndAsync()
    {
        _source.Dispose();
        return default;
    }

    [EventSource(Name = "Poolhouse")]
    private sealed class Source : EventSource
    {
        [Event(1, Keywords = Keywords.Snapshot)]
        public void Pool(int id, string name) => WriteEvent(1, id, name);

        [Event(2, Keywords = Keywords.Snapshot)]
        public void Snapshots(int pools, long interval, string version) => WriteEvent(2, pools, interval, version);

        public static class Keywords
        {
            public const EventKeywords Snapshot = (EventKeywords)1;
        }
    }
}
