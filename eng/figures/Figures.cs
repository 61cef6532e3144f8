// Writes the tables of docs/performance.md from the results of the bars. See eng/figures.sh.
#:property PublishAot=false
#:property TreatWarningsAsErrors=false
#:property RunAnalyzers=false
using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

if (args is not [var page, var results, ..] || args.Length > 3)
{
    Console.Error.WriteLine("usage: eng/figures.sh BARS.json [EARLIER.md]");
    return 2;
}

var run = JsonNode.Parse(File.ReadAllText(results))!;
var outcomes = run["outcomes"]!.AsArray().Select(each => each!).ToList();
var taken = File.GetLastWriteTimeUtc(results).ToString("d MMMM yyyy", CultureInfo.InvariantCulture);
var machine = ((string)run["machine"]!).Split(';')[0];
(string Date, Dictionary<(string Table, string What, string Rival), string> Ratios)? earlier =
    args.Length > 2 ? EarlierRun(args[2]) : null;
var shown = new HashSet<JsonNode>();
var text = new StringBuilder();
string? block = null;
var before = new StringBuilder();
foreach (var line in File.ReadLines(page))
{
    if (block is null)
    {
        text.Append(line).Append('\n');
        if (line.StartsWith("<!-- figures: ", StringComparison.Ordinal))
        {
            block = line["<!-- figures: ".Length..].Split(' ')[0];
            before.Clear();
        }
    }
    else if (line == "<!-- end figures -->")
    {
        text.Append(TableOf(block, before.ToString()) ?? before.ToString()).Append(line).Append('\n');
        block = null;
    }
    else
    {
        before.Append(line).Append('\n');
    }
}

if (block is not null)
{
    Console.Error.WriteLine($"{page}: the figures '{block}' have no end.");
    return 1;
}

var left = outcomes.Where(each => !shown.Contains(each)).Select(each => (string)each["Name"]!).Where(each => !Between().IsMatch(each)).Distinct().ToList();
if (left.Count > 0)
{
    Console.Error.WriteLine($"No table takes: {string.Join(", ", left)}.");
}

File.WriteAllText(page, text.ToString());
return 0;

// Null if the run has none of its bars, or fewer than the table: then the table stays as it is.
string? TableOf(string name, string current)
{
    var rows = outcomes.Where(each => BlockOf((string)each["Name"]!, (string)each["RivalName"]!) == name).ToList();
    var currentRows = current.Split('\n').Count(line => line.StartsWith("| ", StringComparison.Ordinal)) - 1;
    if (rows.Count == 0 || rows.Count < currentRows)
    {
        if (rows.Count > 0)
        {
            Console.Error.WriteLine(
                $"The table '{name}' has {currentRows} rows and the run {rows.Count} of them: it is not changed.");
        }

        return null;
    }

    var table = new StringBuilder($"\nMeasured on {taken}: {machine}.\n\n| What | Poolhouse | Rival | Rival's time | Poolhouse takes |")
        .Append(earlier is { } other ? $" On {other.Date} |" : "")
        .Append("\n|---|---:|---|---:|---:|").Append(earlier is null ? "\n" : "---:|\n");
    foreach (var row in rows)
    {
        shown.Add(row);
        var ratio = (double)row["Ratio"]!;
        var key = (name, $"{row["Name"]}", $"{row["RivalName"]}");
        table.Append($"| {row["Name"]} | {Time((double)row["Ours"]!)} | {row["RivalName"]} | {Time((double)row["Rival"]!)} | ")
            .Append(ratio > 1.05 ? $"**{Ratio(ratio)}**" : Ratio(ratio)).Append(" |")
            .Append(earlier is { } before ? $" {before.Ratios.GetValueOrDefault(key, "–")} |\n" : "\n");
    }

    return table.Append('\n').ToString();
}

// The ratios of an earlier version of the page, by table and row, and the date of its tables. A column of a still earlier run is
// not read.
static (string Date, Dictionary<(string Table, string What, string Rival), string> Ratios) EarlierRun(string page)
{
    var ratios = new Dictionary<(string, string, string), string>();
    var (table, date) = ("", "");
    foreach (var line in File.ReadLines(page))
    {
        if (line.StartsWith("<!-- figures: ", StringComparison.Ordinal))
        {
            table = line["<!-- figures: ".Length..].Split(' ')[0];
        }
        else if (line.StartsWith("Measured on ", StringComparison.Ordinal))
        {
            date = line["Measured on ".Length..].Split(" 2", 2)[0];
        }
        else if (line.Split(" | ") is [['|', ' ', ..] first, _, var rival, _, var ratio, ..] && ratio.Contains('×'))
        {
            ratios[(table, first[2..], rival)] = ratio.TrimEnd(' ', '|');
        }
    }

    return (date, ratios);
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
    "|stream 64 KiB, new pool|stream (4|64) KiB, length|paranoid StringBuilder|paranoid array (100 B|4 KiB|64 KiB)|LDAP rent\\+return|LDAP search on)",
    RegexOptions.CultureInvariant);

static string Time(double nanoseconds) => nanoseconds switch
{
    < 1e3 => Digits(nanoseconds) + " ns",
    < 1e6 => Digits(nanoseconds / 1e3) + " µs",
    _ => Digits(nanoseconds / 1e6) + " ms",
};

static string Digits(double value) => value.ToString(value < 10 ? "0.0" : "0", CultureInfo.InvariantCulture);

static string Ratio(double ratio) => ratio.ToString("0.00", CultureInfo.InvariantCulture) + "×";
