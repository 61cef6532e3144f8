// Keeps docs/figures.json, and writes it into the pages and the chart. See eng/figures.sh.
#:property PublishAot=false
#:property TreatWarningsAsErrors=false
#:property RunAnalyzers=false
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;

const string Chart = "docs/images/figures.svg";
var root = args[0];
var file = Path.Combine(root, "docs", "figures.json");
var figures = FigureFile.Read(file);
if (args is [_, var option] && option != "--check")
{
    Take(figures, option);
    figures.Write(file);
}
else if (args.Length > 2)
{
    Console.Error.WriteLine("usage: eng/figures.sh [BARS.json | --check]");
    return 2;
}

var differing = new List<string>();
var pages = new[] { "README.md", "docs/performance.md" }.Concat(
    Directory.GetFiles(Path.Combine(root, "docs", "guides"), "*.md").Select(page => Path.GetRelativePath(root, page))).ToList();
foreach (var page in pages)
{
    Put(page, PageOf(File.ReadAllText(Path.Combine(root, page)), figures));
}

Put(Chart, FigureChart.Draw(figures));
if (differing.Count == 0 || !args.Contains("--check"))
{
    return 0;
}

Console.Error.WriteLine($"These differ from docs/figures.json; run eng/figures.sh: {string.Join(", ", differing)}.");
return 1;

void Put(string page, string text)
{
    var path = Path.Combine(root, page);
    if (!File.Exists(path) || File.ReadAllText(path) != text)
    {
        differing.Add(page);
        if (!args.Contains("--check"))
        {
            File.WriteAllText(path, text);
        }
    }
}

// The tables of the run replace those of the file. If the run was made on another machine, the ratios of the file become
// the column of the earlier run.
static void Take(FigureFile figures, string results)
{
    var run = JsonNode.Parse(File.ReadAllText(results))!;
    var outcomes = run["outcomes"]!.AsArray().Select(each => each!).ToList();
    var taken = File.GetLastWriteTimeUtc(results).ToString("d MMMM yyyy", CultureInfo.InvariantCulture);
    var machine = ((string)run["machine"]!).Split(';')[0];
    foreach (var (name, table) in figures.Tables)
    {
        var rows = outcomes.Where(each => BlockOf((string)each["Name"]!, (string)each["RivalName"]!) == name)
            .Select(each => new Figure(
                (string)each["Name"]!, (string)each["RivalName"]!, (double)each["Ours"]!, (double)each["Rival"]!,
                (double)each["Ratio"]!, (double?)each["RatioToBareStack"], Earlier: null))
            .ToList();
        if (rows.Count < table.Rows.Count)
        {
            Console.Error.WriteLine(
                $"The table '{name}' has {table.Rows.Count} rows and the run {rows.Count} of them: it is not changed.");
            continue;
        }

        var isOther = table.Machine != machine;
        table.Rows =
        [
            .. rows.Select(row => row with
            {
                Earlier = table.Rows.FirstOrDefault(each => each.What == row.What && each.Rival == row.Rival) is not { } before
                    ? null
                    : isOther ? before.Ratio : before.Earlier,
            }),
        ];
        if (isOther)
        {
            (table.EarlierTaken, table.EarlierMachine) = (table.Taken, table.Machine);
        }

        (table.Taken, table.Machine) = (taken, machine);
    }

    var left = outcomes.Select(each => BlockOf((string)each["Name"]!, (string)each["RivalName"]!)).Where(each => each.Length > 0)
        .Except(figures.Tables.Keys).ToList();
    if (left.Count > 0)
    {
        Console.Error.WriteLine($"docs/figures.json has no table {string.Join(", ", left)}.");
    }
}

static string PageOf(string page, FigureFile figures)
{
    var tables = Regex.Replace(
        page, "(?<=^<!-- figures: (?<name>[a-z]+) -->\n).*?(?=^<!-- end figures -->$)",
        match => TableOf(figures.Tables[match.Groups["name"].Value], figures.Tables["objects"]), RegexOptions.Singleline | RegexOptions.Multiline);
    return Regex.Replace(
        tables, "(?<=<!-- figure: (?<name>[^>]+?) -->).*?(?=<!-- end -->)", match => figures.TextOf(match.Groups["name"].Value),
        RegexOptions.Singleline);
}

// The machine stands in the first table, and where it is another one.
static string TableOf(FigureTable table, FigureTable first)
{
    var hasEarlier = table.EarlierTaken is not null;
    var hasLimit = table.Rows.Exists(row => row.Limit is not null);
    var text = new StringBuilder($"\nMeasured on {table.Taken}{(table == first || table.Machine != first.Machine ? $": {table.Machine}" : "")}.\n\n| What | Poolhouse | Rival | Rival's time | Poolhouse takes |")
        .Append(hasLimit ? " × of the limit |" : "")
        .Append(hasEarlier ? $" On {string.Join(' ', table.EarlierTaken!.Split(' ').Take(2))} |" : "")
        .Append("\n|---|---:|---|---:|---:|").Append(hasLimit ? "---:|" : "").Append(hasEarlier ? "---:|\n" : "\n");
    foreach (var row in table.Rows)
    {
        text.Append($"| {row.What} | {Text.Time(row.Ours)} | {row.Rival} | {Text.Time(row.Theirs)} | {Bold(row.Ratio)} |")
            .Append(!hasLimit ? "" : row.Limit is { } limit ? $" {Text.Ratio(limit).TrimEnd('×')} |" : " – |")
            .Append(hasEarlier ? $" {(row.Earlier is { } earlier ? Bold(earlier) : "–")} |\n" : "\n");
    }

    return text.Append('\n').ToString();

    static string Bold(double ratio) => ratio > 1.05 ? $"**{Text.Ratio(ratio)}**" : Text.Ratio(ratio);
}

// What is not a time in nanoseconds has no place in these tables, nor have rows that lie between two others and say the same.
static string BlockOf(string name, string rival) => name switch
{
    _ when Between().IsMatch(name) => "",
    "rent here, return there: misses" or "HTTP sockets" or "resource, served after an outage" => "",
    _ when name.StartsWith("paranoid", StringComparison.Ordinal) => "paranoid",
    _ when name.StartsWith("array", StringComparison.Ordinal) || name.StartsWith("private array", StringComparison.Ordinal) =>
        "arrays",
    _ when name.StartsWith("stream", StringComparison.Ordinal) => rival == "RecyclableMemoryStream" ? "recyclable" : "streams",
    _ when name.StartsWith("resource", StringComparison.Ordinal) => "resources",
    _ when name.StartsWith("HTTP", StringComparison.Ordinal) => "http",
    _ when name.StartsWith("worker", StringComparison.Ordinal) => "workers",
    _ when name.StartsWith("LDAP", StringComparison.Ordinal) => "ldap",
    _ when name.StartsWith("database", StringComparison.Ordinal) || name.StartsWith("raw connection", StringComparison.Ordinal) =>
        "databases",
    _ when name.StartsWith("reset ", StringComparison.Ordinal) => "resets",
    _ => "objects",
};

static Regex Between() => new(
    "^(drain\\+refill (64|256|1,024)$|stream .*, (leased|GetStream|one write)$|stream 1 KiB|stream (16|256) KiB($|, .*(write|GetSpan|threads|pool))" +
    "|stream (100 B|4 KiB|64 KiB|8 MiB), GetSpan|stream 64 KiB by|stream (16|64) KiB, 64 alive|stream (16 KiB|1 MiB), 2 threads" +
    "|stream 64 KiB, new pool|stream (4|64) KiB, length|paranoid StringBuilder|paranoid array (100 B|4 KiB|64 KiB)|LDAP rent\\+return" +
    "|LDAP search on|database open\\+dispose, async|raw connection rent\\+return, async|database SELECT, SqlClient, reported" +
    "|reset in the background, 8 callers|reset on rent)",
    RegexOptions.CultureInvariant);


/// <summary>One row: nanoseconds, and the medians of the rounds' own ratios, to the rival and to a bare stack.</summary>
internal sealed record Figure(
    string What, string Rival, double Ours, double Theirs, double Ratio, double? Limit, double? Earlier);

internal sealed class FigureTable
{
    public required string Taken { get; set; }

    public required string Machine { get; set; }

    public string? EarlierTaken { get; set; }

    public string? EarlierMachine { get; set; }

    public required List<Figure> Rows { get; set; }
}

/// <summary>A figure that no bar measures: its text, and the command that measured it.</summary>
internal sealed record Recorded(string Text, string By);

internal sealed class FigureFile
{
    private static readonly JsonSerializerOptions _json = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        TypeInfoResolver = new System.Text.Json.Serialization.Metadata.DefaultJsonTypeInfoResolver(),
    };

    public required Dictionary<string, FigureTable> Tables { get; set; }

    public required Dictionary<string, Recorded> Recorded { get; set; }

    public static FigureFile Read(string path) => JsonSerializer.Deserialize<FigureFile>(File.ReadAllText(path), _json)!;

    // A row of a table is a line, so that a change of it is too.
    public void Write(string path) => File.WriteAllText(path, Regex.Replace(
        JsonSerializer.Serialize(this, _json), @"\{\s+(""(?:what|text)""[^}]+?)\s+\}", match => $"{{ {Regex.Replace(match.Groups[1].Value, @"\n\s+", " ")} }}") + "\n");

    public Figure Row(string name)
    {
        var (table, what, rival) = name.Split('/', 2) is [var first, var rest] && rest.Split(" vs ") is [var second, .. var last]
            ? (first, second, last.FirstOrDefault())
            : throw new FormatException($"'{name}' is not the name of a figure.");
        return Tables[table].Rows.Single(row => row.What == what && (rival is null || row.Rival == rival));
    }

    /// <summary>A row (see eng/figures.sh) and a part of it; a table and its machine or date; or a recorded figure.</summary>
    public string TextOf(string name) => name.Split(": ") is not [var row, var part]
        ? Recorded.TryGetValue(name, out var recorded) ? recorded.Text : throw new FormatException($"docs/figures.json has no figure '{name}'.")
        : part switch
        {
            "ours" => Text.Time(Row(row).Ours),
            "theirs" => Text.Time(Row(row).Theirs),
            "ratio" => Text.Ratio(Row(row).Ratio),
            "range" => Row(row) is { Earlier: { } earlier } figure && Text.Plain(earlier) != Text.Plain(figure.Ratio)
                ? $"{Text.Plain(Math.Min(earlier, figure.Ratio))} to {Text.Plain(Math.Max(earlier, figure.Ratio))} times"
                : $"{Text.Plain(Row(row).Ratio)} times",
            "most" => $"{Text.Plain(Math.Max(Row(row).Ratio, Row(row).Earlier ?? 0))} times",
            "machine" => Tables[row].Machine,
            "taken" => Tables[row].Taken,
            _ => throw new FormatException($"'{name}': '{part}' is none of ours, theirs, ratio, range, most, machine, taken."),
        };
}

internal static class Text
{
    public static string Time(double nanoseconds) => nanoseconds switch
    {
        < 1e3 => Digits(nanoseconds) + " ns",
        < 1e6 => Digits(nanoseconds / 1e3) + " µs",
        _ => Digits(nanoseconds / 1e6) + " ms",
    };

    public static string Ratio(double ratio) => ratio.ToString("0.00", CultureInfo.InvariantCulture) + "×";

    public static string Plain(double ratio) => ratio.ToString("0.0#", CultureInfo.InvariantCulture);

    private static string Digits(double value) => value.ToString(value < 10 ? "0.0" : "0", CultureInfo.InvariantCulture);
}

/// <summary>The chart of the first page: how long Poolhouse takes, measured in the time of the pool that it replaces.</summary>
internal static class FigureChart
{
    private const double Left = 250;
    private const double Scale = 190; // pixels of a factor of ten
    private const double Row = 34;

    private static readonly (string Name, string What)[] _rows =
    [
        ("objects/object get+return, 2 threads", "an object, 2 threads on one pool"),
        ("arrays/private array pool, 2 threads", "an array, 2 threads on one pool"),
        ("streams/stream 64 KiB", "a stream of 64 KiB"),
        ("resources/resource, 8 async callers over 2 vs SemaphoreSlim + bag, time limit", "8 callers for 2 connections"),
        ("databases/database open+dispose", "open and close a connection"),
        ("objects/object get+return, 1 thread", "an object, 1 thread"),
        ("databases/database 1,000 × SELECT", "open, SELECT 1, close"),
        ("arrays/array rent+return", "an array, 1 thread"),
        ("resources/resource rent+return vs SemaphoreSlim Wait+Release", "a rent that nobody competes for"),
        ("objects/objects, pool too small", "a pool that is too small"),
    ];

    public static string Draw(FigureFile figures)
    {
        var rows = _rows.Select(row => (row.What, Figure: figures.Row(row.Name))).OrderBy(row => row.Figure.Ratio).ToList();
        var text = new StringBuilder();
        var bottom = 62 + (Row * rows.Count);
        foreach (var (value, label) in new[] { (0.05, "1/20"), (0.1, "1/10"), (0.2, "1/5"), (0.5, "1/2"), (1, "same time"), (2, "2×") })
        {
            text.Append(CultureInfo.InvariantCulture, $"""<line x1="{X(value):0.#}" y1="50" x2="{X(value):0.#}" y2="{bottom}" class="{(value == 1 ? "same" : "grid")}"/>""")
                .Append(CultureInfo.InvariantCulture, $"""<text x="{X(value):0.#}" y="42" class="soft" text-anchor="middle">{label}</text>""").Append('\n');
        }

        for (var i = 0; i < rows.Count; i++)
        {
            var (what, figure) = rows[i];
            var y = 58 + (Row * i);
            var x = Math.Min(X(figure.Ratio), X(1));
            var kind = figure.Ratio > 1.05 ? "lost" : figure.Ratio < 0.95 ? "won" : "even";
            text.Append(CultureInfo.InvariantCulture, $"""<text x="{Left - 12}" y="{y + 14}" text-anchor="end">{what}</text>""")
                .Append(CultureInfo.InvariantCulture, $"""<rect x="{x:0.#}" y="{y}" width="{Math.Max(3, Math.Abs(X(figure.Ratio) - X(1))):0.#}" height="20" rx="3" class="{kind}"/>""")
                .Append(CultureInfo.InvariantCulture, $"""<text x="{X(2) + 14:0.#}" y="{y + 14}" class="soft">{Text.Time(figure.Ours)}, {figure.Rival.Split(',')[0].Replace("&", "&amp;")} {Text.Time(figure.Theirs)}</text>""")
                .Append('\n');
        }

        var table = figures.Tables["objects"];
        return string.Create(CultureInfo.InvariantCulture, $$"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {{bottom + 34}}" width="880" height="{{bottom + 34}}" role="img" aria-labelledby="title">
            <title id="title">The time that Poolhouse takes, compared with the pool that it replaces</title>
            <style>
            :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f23; --soft: #59616b; --grid: #e3e6ea; --won: #0069a8; --even: #8b939e; --lost: #b34a00; }
            @media (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e7eaee; --soft: #a2abb6; --grid: #2c3138; --won: #5bb8f0; --even: #8b939e; --lost: #f29354; } }
            text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); } .soft { fill: var(--soft); font-size: 13px; } .head { font-weight: 600; font-size: 15px; }
            .grid { stroke: var(--grid); } .same { stroke: var(--soft); stroke-width: 1.5; } .won { fill: var(--won); } .even { fill: var(--even); } .lost { fill: var(--lost); }
            </style>
            <rect width="100%" height="100%" style="fill:var(--paper)"/>
            <text x="12" y="20" class="head">Time that Poolhouse takes, compared with the pool that it replaces (left: less time)</text>
            {{text}}<text x="12" y="{{bottom + 22}}" class="soft">{{table.Taken}}: {{table.Machine}}. Measured in turns in one process by eng/bars.sh.</text>
            </svg>

            """);

        static double X(double ratio) => Left + (Scale * (Math.Log10(Math.Clamp(ratio, 0.045, 2.1)) + 1.4));
    }
}
