using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Text;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing.Etlx;

namespace Poolhouse.TestSupport;

/// <summary>
/// What this process is doing: the figures of every pool that is still alive, and the managed stacks of all threads.
/// </summary>
internal static class HangReport
{
    private const int MaxFrames = 25;

    // Much longer than a part takes. A pool that hangs inside its lock never answers, and the report must end without it.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    public static async Task<string> CreateAsync()
    {
        var text = new StringBuilder();
        await AppendAsync(text, "Pools", AppendPoolsAsync);
        await AppendAsync(text, "Threads", AppendThreadsAsync);
        return text.ToString();
    }

    private static async Task AppendAsync(StringBuilder text, string title, Func<StringBuilder, Task> append)
    {
        text.AppendLine(title);
        var part = new StringBuilder();
        try
        {
            // On a thread of its own, which is left behind if it never ends.
            await Task.Factory
                .StartNew(() => append(part), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
                .Unwrap()
                .WaitAsync(_patience, TimeProvider.System);
            text.Append(part);
        }
        catch (Exception e)
        {
            text.Append("  not available: ").AppendLine(e.Message);
        }
    }

    private static Task AppendPoolsAsync(StringBuilder text)
    {
        var figures = new SortedDictionary<string, List<string>>(StringComparer.Ordinal);
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.IsObservable && instrument.Meter.Name.StartsWith("Poolhouse", StringComparison.Ordinal))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            if (value == 0)
            {
                return;
            }

            var pool = "";
            var detail = "";
            foreach (var (key, tag) in tags)
            {
                if (string.Equals(key, "poolhouse.pool.name", StringComparison.Ordinal))
                {
                    pool = tag as string ?? "";
                }
                else
                {
                    detail += "/" + tag;
                }
            }

            if (!figures.TryGetValue(pool, out var list))
            {
                figures.Add(pool, list = []);
            }

            list.Add(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{instrument.Name.Replace("poolhouse.pool.", "", StringComparison.Ordinal)}{detail} {value}"));
        });
        listener.Start();
        listener.RecordObservableInstruments();
        foreach (var (pool, list) in figures)
        {
            text.Append("  ").Append(pool).Append(": ").AppendLine(string.Join(", ", list));
        }

        return Task.CompletedTask;
    }

    /// <summary>Samples all threads for a moment through the runtime's own profiler, as the dotnet-stack tool does.</summary>
    private static async Task AppendThreadsAsync(StringBuilder text)
    {
        var file = Path.Combine(Path.GetTempPath(), $"poolhouse-hang-{Guid.NewGuid():N}.nettrace");
        try
        {
            await SampleAsync(file);
            using var log = TraceLog.OpenOrConvert(TraceLog.CreateFromEventPipeDataFile(file));
            var threads = new Dictionary<int, List<string>>();
            foreach (var sample in log.Events.Where(sample => sample.CallStack() is not null))
            {
                threads[sample.ThreadID] = Frames(sample.CallStack());
            }

            foreach (var same in threads.GroupBy(thread => string.Join("\n    ", thread.Value))
                .Where(same => same.Key.Length > 0))
            {
                text.Append("  threads ").AppendJoin(", ", same.Select(thread => thread.Key)).AppendLine();
                text.Append("    ").AppendLine(same.Key);
            }
        }
        finally
        {
            File.Delete(file);
            File.Delete(file + ".etlx");
        }
    }

    private static async Task SampleAsync(string file)
    {
        EventPipeProvider[] providers = [new("Microsoft-DotNETCore-SampleProfiler", EventLevel.Informational)];
        var session = new DiagnosticsClient(System.Environment.ProcessId).StartEventPipeSession(providers);
        await using var output = File.Create(file);
        var copy = session.EventStream.CopyToAsync(output);
        await Task.Delay(TimeSpan.FromMilliseconds(200), TimeProvider.System);
        await session.StopAsync(CancellationToken.None);
        await copy;
        session.Dispose();
    }

    /// <summary>The innermost frames, down to where the test runner called the test.</summary>
    private static List<string> Frames(TraceCallStack? stack)
    {
        var frames = new List<string>();
        for (; stack is not null && frames.Count < MaxFrames; stack = stack.Caller)
        {
            var name = stack.CodeAddress.FullMethodName;
            if (name.StartsWith("Xunit.", StringComparison.Ordinal))
            {
                break;
            }

            frames.Add(name.Length > 0 ? name : "(unknown)");
        }

        return frames;
    }
}
