using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;
using Poolhouse.Metrics;

namespace Poolhouse.Tests;

/// <summary>A session with the event source "Poolhouse", in this process.</summary>
internal sealed class PoolListener : EventListener
{
    private readonly ConcurrentQueue<Dictionary<string, object?>> _events = new();

    /// <summary>The events so far: the payload by name, and the name of the event as "event".</summary>
    public IReadOnlyList<Dictionary<string, object?>> Events => [.. _events];

    /// <summary>Starts a session, which gets pictures from now on.</summary>
    public static PoolListener Start(double interval = 0.1, string? detail = null)
    {
        var listener = new PoolListener();
        var arguments = new Dictionary<string, string?>(StringComparer.Ordinal)
        {
            ["Interval"] = interval.ToString(CultureInfo.InvariantCulture),
        };
        if (detail is not null)
        {
            arguments["Detail"] = detail;
        }

        listener.EnableEvents(PoolEventSource.Log, EventLevel.Informational, EventKeywords.All, arguments);
        return listener;
    }

    /// <summary>The events about a pool, without its snapshots, each as its name and payload.</summary>
    public IEnumerable<string> LifeOf(string pool) =>
        from each in Events
        where Equals(each.GetValueOrDefault("pool"), pool)
        select string.Join(' ', each.Where(part => part.Key is not "pool").Select(part => part.Value));

    /// <summary>The next snapshot of a pool.</summary>
    public Dictionary<string, object?> NextOf(string pool)
    {
        var seen = Events.Count;
        Background.Until(() => Events.Skip(seen).Any(IsOfPool));
        return Events.Skip(seen).First(IsOfPool);

        bool IsOfPool(Dictionary<string, object?> each) => Equals(each["event"], "Pool") && Equals(each["name"], pool);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        var payload = new Dictionary<string, object?>(StringComparer.Ordinal) { ["event"] = eventData.EventName };
        foreach (var (name, value) in eventData.PayloadNames!.Zip(eventData.Payload!))
        {
            payload[name] = value;
        }

        _events.Enqueue(payload);
    }
}
