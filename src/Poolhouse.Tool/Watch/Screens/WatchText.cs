using System.Globalization;
using Poolhouse.Tool.Cli;
using Spectre.Console;

namespace Poolhouse.Tool.Watch.Screens;

/// <summary>What is shown of a model, as lines that fit the width. The same for a terminal, a pipe and a post-mortem.</summary>
/// <param name="Width">The number of columns.</param>
/// <param name="Ascii">Whether only ASCII characters can be shown.</param>
internal sealed record WatchText(int Width, bool Ascii)
{
    private const int Indent = 4;
    private const int NameWidth = 20;
    private const int BarWidth = 30;

    /// <summary>The rows of all pools, under a title.</summary>
    public IEnumerable<ScreenLine> Overview(string title, IReadOnlyList<Diagnosis> pools, int? selected = null)
    {
        yield return Line(title, Tone.Title);
        if (pools.Count == 0)
        {
            yield return Line("No pools.", Tone.Quiet);
        }

        for (var i = 0; i < pools.Count; i++)
        {
            foreach (var line in Row(pools[i], selected == i))
            {
                yield return line;
            }
        }
    }

    /// <summary>The lines of one of the pools.</summary>
    public IEnumerable<ScreenLine> Row(IReadOnlyList<Diagnosis> pools, int index) =>
        index < pools.Count ? Row(pools[index], isSelected: false) : [];

    /// <summary>Everything about one pool.</summary>
    public IEnumerable<ScreenLine> Detail(Diagnosis diagnosis, IReadOnlyList<PoolEvent> events)
    {
        var pool = diagnosis.Pool;
        foreach (var line in Row(diagnosis, isSelected: false))
        {
            yield return line;
        }

        yield return Line("");
        var totals = string.Create(
            CultureInfo.InvariantCulture,
            $"{pool.Kind}: {pool.Live} live (peak {pool.Peak}), {pool.Idle} idle, {pool.Creating} creating, {pool.Validating} " +
            $"validating, {pool.Resetting} resetting, {pool.Destroying} destroying. Since the start: {pool.Rented} rents, " +
            $"{pool.Waits} waits, {pool.Timeouts} timeouts, {pool.Shed} shed, {pool.Created} created, {pool.CreateFailures} " +
            $"failed, {pool.Leaks} leaks.");
        foreach (var line in Wrapped(totals, Tone.Normal))
        {
            yield return line;
        }

        foreach (var line in Servers(pool)
            .Concat(Leases(pool))
            .Concat(Histogram("Waits", pool.WaitHistogram))
            .Concat(Histogram("Uses", pool.UseHistogram)))
        {
            yield return line;
        }

        yield return Line(events.Count == 0 ? "No events since the watch began" : "Events", Tone.Title);
        foreach (var (happened, count) in Runs(events).TakeLast(8))
        {
            var time = happened.Time.ToLocalTime().ToString("HH:mm:ss", CultureInfo.InvariantCulture);
            yield return Line($"  {time}  {happened.Name}{(count > 1 ? $" ({Units.Count(count)} times)" : "")}  {happened.Text}");
        }
    }

    private IEnumerable<ScreenLine> Row(Diagnosis diagnosis, bool isSelected)
    {
        var pool = diagnosis.Pool;
        var name = pool.Name.Length > NameWidth ? pool.Name[..(NameWidth - 1)] + (Ascii ? "." : "…") : pool.Name;
        var tone = isSelected ? Tone.Selected : ToneOf(diagnosis.Rule);
        if (diagnosis.Rule is Rule.None)
        {
            var change = diagnosis.Change.Length > 0 ? $"; {diagnosis.Change}" : "";
            yield return Line($"{(isSelected ? ">" : " ")} ok  {name.PadRight(NameWidth)}  {diagnosis.Figures}{change}", tone);
            foreach (var line in Wrapped(diagnosis.Next, Tone.Quiet))
            {
                yield return line;
            }

            yield break;
        }

        yield return Line($"{(isSelected ? ">" : " ")} {diagnosis.Verdict}  {pool.Name}", tone);
        foreach (var line in Wrapped(diagnosis.Figures, Tone.Normal)
            .Concat(Wrapped(diagnosis.Change, Tone.Normal))
            .Concat(Wrapped(diagnosis.Next.Length > 0 ? $"{Arrow} {diagnosis.Next}" : "", Tone.Normal))
            .Concat(Address(diagnosis.Url ?? "")))
        {
            yield return line;
        }
    }

    private string Arrow => Ascii ? "->" : "→";

    private static Tone ToneOf(Rule rule) => rule switch
    {
        Rule.None => Tone.Good,
        Rule.TooLarge or Rule.Draining or Rule.Suspended => Tone.Warning,
        _ => Tone.Bad,
    };

    /// <summary>Events of the same kind in a row as one, the last of them: hundreds of callers may fail in one outage.</summary>
    private static List<(PoolEvent Last, int Count)> Runs(IReadOnlyList<PoolEvent> events)
    {
        var runs = new List<(PoolEvent Last, int Count)>();
        foreach (var happened in events)
        {
            if (runs is [.., var (last, count)] && last.Name == happened.Name)
            {
                runs[^1] = (happened, count + 1);
            }
            else
            {
                runs.Add((happened, 1));
            }
        }

        return runs;
    }

    private IEnumerable<ScreenLine> Leases(PoolSnapshot pool)
    {
        if (pool.OldestLeases.Count == 0)
        {
            yield break;
        }

        yield return Line("Oldest leases", Tone.Title);
        foreach (var lease in pool.OldestLeases)
        {
            var trace = lease.Trace.Length > 0 ? $"  trace {lease.Trace}" : "";
            var unknown = pool.HasLabels ? "no label" : "set LabelLeases to see who holds it";
            var label = lease.Label.Length > 0 ? lease.Label : unknown;
            yield return Line($"  {Diagnosis.Span(lease.Age),8}  item {lease.Item}  {label}{trace}");
        }
    }

    private IEnumerable<ScreenLine> Servers(PoolSnapshot pool)
    {
        if (pool.Servers.Count == 0)
        {
            yield break;
        }

        yield return Line("Servers", Tone.Title);
        foreach (var server in pool.Servers)
        {
            var role = server.Role == ServerRole.Unknown ? "" : server.Role == ServerRole.Primary ? ", primary" : ", standby";
            var state = server.Health == ServerHealth.Removed ? "removed" : server.FailuresInRow == 0 ? "up"
                : $"DOWN {Diagnosis.Span(server.DownFor)}: {server.Failure}, next attempt " +
                    (server.RecheckIn > TimeSpan.Zero ? $"in {Diagnosis.Span(server.RecheckIn)}" : "when an item is needed");
            foreach (var line in Wrapped(
                $"{server.Name}{role}, {Units.Count(server.Items)} items, {state}",
                server.FailuresInRow > 0 ? Tone.Bad : Tone.Normal))
            {
                yield return line;
            }
        }
    }

    private IEnumerable<ScreenLine> Histogram(string title, IReadOnlyDictionary<int, long> histogram)
    {
        if (histogram.Count == 0)
        {
            yield break;
        }

        yield return Line(title, Tone.Title);
        var most = Math.Max(1, histogram.Values.Max());
        foreach (var (bucket, count) in histogram.OrderBy(each => each.Key))
        {
            var below = TimeSpan.FromTicks(bucket >= 61 ? long.MaxValue : 2L << bucket);
            var bar = new string(Ascii ? '#' : '█', (int)Math.Clamp(Math.Ceiling((double)BarWidth * count / most), 0, BarWidth));
            yield return Line($"  below {Diagnosis.Span(below),8}  {Units.Count(count),10}  {bar}");
        }
    }

    /// <summary>An address, complete however narrow the screen is; in two lines, the second is the section.</summary>
    private IEnumerable<ScreenLine> Address(string url)
    {
        if (url.Length <= Width - Indent)
        {
            return Wrapped(url, Tone.Quiet);
        }

        var section = Math.Max(0, url.IndexOf('#', StringComparison.Ordinal));
        return url[..section].Chunk(Width).Concat(url[section..].Chunk(Width))
            .Select(part => Line(new string(part), Tone.Quiet));
    }

    private IEnumerable<ScreenLine> Wrapped(string text, Tone tone) => text.Length == 0
        ? []
        : Wrapping.Wrap(text, Math.Max(20, Width - Indent)).Select(line => Line(new string(' ', Indent) + line, tone));

    /// <summary>The text without control characters, cut to the width, and in ASCII if nothing else can be shown.</summary>
    public ScreenLine Line(string text, Tone tone = Tone.Normal)
    {
        var shown = Printable.Of(text.ReplaceLineEndings(" "));
        if (Ascii)
        {
            shown = string.Concat(
                shown.Replace("µs", "us", StringComparison.Ordinal).Select(letter => char.IsAscii(letter) ? letter : '?'));
        }

        // Some letters take two columns.
        while (shown.GetCellWidth() > Width)
        {
            shown = shown[..^Math.Max(1, (shown.GetCellWidth() - Width) / 2)];
        }

        return new ScreenLine(shown, tone);
    }
}
