using System.Globalization;
using Microsoft.Diagnostics.Tracing;

namespace Poolhouse.Tool.Watch;

/// <summary>Reads the events of a session, or of a recorded trace, into a model.</summary>
internal sealed class TraceReader
{
    public const string Provider = "Poolhouse";

    // Without these, nothing right can be said about a pool. What is missing otherwise counts as zero.
    private static readonly string[] _needed =
    [
        "id", "name", "kind", "condition", "holders", "oldestLeases", "max", "live", "leased", "waiting", "rented", "waits",
        "returned", "oldestLease", "waitTime", "useTime", "outage", "labels",
    ];

    private readonly WatchModel _model;
    private readonly List<PoolSnapshot> _picture = [];
    private bool _isFirst = true;

    private TraceReader(WatchModel model) => _model = model;

    /// <summary>Reads until the end of the stream.</summary>
    /// <exception cref="Exception">
    /// The stream is damaged or ends in the middle of an event; the model has what was before.
    /// </exception>
    public static void Read(Stream stream, WatchModel model, CancellationToken cancellation = default)
    {
        using var source = new EventPipeEventSource(stream);
        using var stopping = cancellation.Register(source.StopProcessing);
        source.Dynamic.AddCallbackForProviderEvent(Provider, eventName: null, new TraceReader(model).Add);
        source.Process();
    }

    private void Add(TraceEvent happened)
    {
        switch (happened.EventName)
        {
            case "Pool" when !_needed.All(name => happened.PayloadIndex(name) >= 0):
                _model.AddTooOld();
                break;
            case "Pool":
                _picture.Add(SnapshotOf(happened));
                break;
            case "Snapshots":
                EndPicture(happened);
                break;
            case "Started" or "Closed" or "CreateFailed" or "OutageBegan" or "OutageEnded" or "WaitFailed" or "LeakSuspected"
                or "Reconfigured":
                _model.Add(new PoolEvent(happened.TimeStamp, Text(happened, "pool"), happened.EventName, TextOf(happened)));
                break;
        }
    }

    // The session may have begun in the middle of the first picture. Of a version that is too old, no pools are known.
    private void EndPicture(TraceEvent end)
    {
        if (!_isFirst || _model.IsTooOld || _picture.Count >= Number(end, "pools"))
        {
            _model.Add(end.TimeStamp, Text(end, "version"), _picture);
        }

        _isFirst = false;
        _picture.Clear();
    }

    private static PoolSnapshot SnapshotOf(TraceEvent each) => new()
    {
        Time = each.TimeStamp,
        Id = (int)Number(each, "id"),
        Name = Text(each, "name"),
        Kind = Text(each, "kind"),
        Condition = ValueOf<PoolCondition>(Text(each, "condition")),
        Failure = Text(each, "failure"),
        Holders = [.. HoldersOf(Text(each, "holders"))],
        OldestLeases = [.. LeasesOf(Text(each, "oldestLeases"))],
        WaitHistogram = HistogramOf(Text(each, "waitHistogram")),
        UseHistogram = HistogramOf(Text(each, "useHistogram")),
        Servers = [.. ServersOf(Text(each, "servers"))],
        Max = Number(each, "max"),
        MinIdle = Number(each, "minIdle"),
        Live = Number(each, "live"),
        Idle = Number(each, "idle"),
        Leased = Number(each, "leased"),
        Creating = Number(each, "creating"),
        Validating = Number(each, "validating"),
        Resetting = Number(each, "resetting"),
        Destroying = Number(each, "destroying"),
        Peak = Number(each, "peak"),
        Waiting = Number(each, "waiting"),
        Rented = Number(each, "rented"),
        Waits = Number(each, "waits"),
        Returned = Number(each, "returned"),
        Created = Number(each, "created"),
        CreateFailures = Number(each, "createFailures"),
        Destroyed = Number(each, "destroyed"),
        Timeouts = Number(each, "timeouts"),
        Cancellations = Number(each, "cancellations"),
        Shed = Number(each, "shed"),
        Leaks = Number(each, "leaks"),
        DoubleReturns = Number(each, "doubleReturns"),
        OldestWait = Time(each, "oldestWait"),
        OldestLease = Time(each, "oldestLease"),
        WaitTime = Time(each, "waitTime"),
        CreateTime = Time(each, "createTime"),
        UseTime = Time(each, "useTime"),
        Outage = Time(each, "outage"),
        RetryAfter = Time(each, "retryAfter"),
        LeakThreshold = Number(each, "leakThreshold") is >= 0 and var threshold ? Microseconds(threshold) : null,
        HasLabels = Number(each, "labels") != 0,
    };

    private static string TextOf(TraceEvent each) => each.EventName switch
    {
        "Started" => Text(each, "kind"),
        "CreateFailed" => $"{Text(each, "failure")}, next attempt in {Diagnosis.Span(Time(each, "retryAfter"))}",
        "OutageBegan" => Text(each, "failure"),
        "WaitFailed" => $"{Text(each, "phase")}, after {Diagnosis.Span(Time(each, "waited"))}",
        "LeakSuspected" => $"item {Number(each, "itemNumber")}, leased for {Diagnosis.Span(Time(each, "leasedFor"))}"
            + (Text(each, "label") is { Length: > 0 } label ? $" by {label}" : ""),
        _ => "",
    };

    private static IEnumerable<Holder> HoldersOf(string text) =>
        from line in Lines(text)
        let parts = line.Split(' ', 2)
        where parts.Length == 2 && IsNumber(parts[0])
        select new Holder(parts[1], ToNumber(parts[0]));

    private static IEnumerable<HeldItem> LeasesOf(string text) =>
        from line in Lines(text)
        let parts = line.Split(' ', 4)
        where parts.Length == 4 && IsNumber(parts[0]) && IsNumber(parts[1])
        select new HeldItem(Microseconds(ToNumber(parts[0])), ToNumber(parts[1]), parts[2] == "-" ? "" : parts[2], parts[3]);

    private static IEnumerable<PoolServer> ServersOf(string text) =>
        from line in Lines(text)
        let parts = line.Split(' ', 8)
        where parts.Length == 8 && parts[2..6].All(IsNumber)
        let numbers = parts[2..6].Select(ToNumber).ToList()
        select new PoolServer(
            parts[7], ValueOf<ServerHealth>(parts[0]), ValueOf<ServerRole>(parts[1]), numbers[0], numbers[1],
            Microseconds(numbers[2]), Microseconds(numbers[3]), parts[6] == "-" ? "" : parts[6]);

    private static T ValueOf<T>(string text)
        where T : struct => Enum.TryParse<T>(text, out var value) ? value : default;

    private static Dictionary<int, long> HistogramOf(string text)
    {
        var histogram = new Dictionary<int, long>();
        foreach (var bucket in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (bucket.Split(':') is [var index, var count] && IsNumber(index) && IsNumber(count))
            {
                histogram[(int)Math.Clamp(ToNumber(index), 0, 63)] = ToNumber(count);
            }
        }

        return histogram;
    }

    private static string[] Lines(string text) => text.Split('\n', StringSplitOptions.RemoveEmptyEntries);

    private static bool IsNumber(string text) => long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out _);

    private static long ToNumber(string text) => long.Parse(text, NumberStyles.None, CultureInfo.InvariantCulture);

    private static string Text(TraceEvent each, string name) => each.PayloadByName(name) as string ?? "";

    private static long Number(TraceEvent each, string name) => each.PayloadByName(name) switch
    {
        long number => number,
        int number => number,
        _ => 0,
    };

    private static TimeSpan Time(TraceEvent each, string name) => Microseconds(Number(each, name));

    // A damaged trace may have any number.
    private static TimeSpan Microseconds(long number) => TimeSpan.FromTicks(Math.Clamp(number, 0, long.MaxValue / 100) * 10);
}
