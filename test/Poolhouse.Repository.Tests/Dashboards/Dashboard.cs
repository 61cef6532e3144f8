using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Poolhouse.Repository.Tests.Dashboards;

/// <summary>Writes the dashboard for Grafana: a panel for each alert, and one for each instrument.</summary>
internal static class Dashboard
{
    private const int Columns = 24;
    private const int Height = 8;
    private const string Apps = "job=~\"$job\", instance=~\"$instance\"";

    private static readonly JsonSerializerOptions _readable =
        new() { WriteIndented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static string Write()
    {
        var panels = new JsonArray();
        AddRow(panels, "Pools that need attention");
        foreach (var (index, alert) in Alert.All.Index())
        {
            var (from, to) = (index * Columns / Alert.All.Count, (index + 1) * Columns / Alert.All.Count);
            Add(panels, AlertPanel(alert), from, to - from, Height / 2);
        }

        AddInstruments(panels, "All pools", databases: false);
        AddInstruments(panels, "Pools of database connections", databases: true);

        return new JsonObject
        {
            ["uid"] = "poolhouse",
            ["title"] = "Poolhouse",
            ["description"] = "The pools of .NET apps. Generated from the instruments in docs/guides/metrics.md.",
            ["tags"] = new JsonArray("poolhouse", "dotnet"),
            ["schemaVersion"] = 39,
            ["version"] = 1,
            ["editable"] = true,
            ["graphTooltip"] = 1,
            ["refresh"] = "30s",
            ["time"] = new JsonObject { ["from"] = "now-1h", ["to"] = "now" },
            ["timezone"] = "browser",
            ["templating"] = new JsonObject
            {
                ["list"] = new JsonArray(
                    new JsonObject
                    {
                        ["name"] = "datasource",
                        ["label"] = "Data source",
                        ["type"] = "datasource",
                        ["query"] = "prometheus",
                    },
                    Variable("job", "App", "job", Exported.All[0].Name),
                    Variable("instance", "Instance", "instance", $"{Exported.All[0].Name}{{job=~\"$job\"}}"),
                    Variable("pool", "Pool", Exported.All[0].PoolLabel, $"{Exported.All[0].Name}{{job=~\"$job\"}}"),
                    Variable(
                        "database", "Database", DatabaseConnections.PoolLabel, $"{DatabaseConnections.Name}{{job=~\"$job\"}}")),
            },
            ["annotations"] = new JsonObject { ["list"] = new JsonArray() },
            ["panels"] = panels,
        }.ToJsonString(_readable) + "\n";
    }

    private static Exported DatabaseConnections => Exported.All.First(each => each.IsOfDatabases);

    private static void AddInstruments(JsonArray panels, string title, bool databases)
    {
        AddRow(panels, title);
        var left = true;
        foreach (var instrument in Exported.All.Where(each => each.IsOfDatabases == databases && CountOf(each) is null))
        {
            Add(panels, InstrumentPanel(instrument), left ? 0 : Columns / 2, Columns / 2, Height);
            left = !left;
        }
    }

    // A limit is drawn beside what it limits.
    private static Exported? CountOf(Exported limit) => limit.Instrument.EndsWith(".max", StringComparison.Ordinal)
        ? Exported.All.FirstOrDefault(
            each => string.Equals(each.Instrument, limit.Instrument[..^".max".Length] + ".count", StringComparison.Ordinal))
        : null;

    private static JsonObject AlertPanel(Alert alert)
    {
        var panel = Panel("stat", alert.Title, alert.Summary.Replace("pool {pool}", "a pool", StringComparison.Ordinal));
        panel["targets"] = Targets(
            ($"count({alert.Expression($"{Apps}, {Exported.All[0].PoolLabel}=~\"$pool\"").ReplaceLineEndings(" ")}) or vector(0)",
                "pools"));
        panel["fieldConfig"] = new JsonObject
        {
            ["defaults"] = new JsonObject
            {
                ["unit"] = "short",
                ["thresholds"] = new JsonObject
                {
                    ["mode"] = "absolute",
                    ["steps"] = new JsonArray(
                        new JsonObject { ["color"] = "green", ["value"] = null },
                        new JsonObject { ["color"] = alert.Severity is "critical" ? "red" : "orange", ["value"] = 1 }),
                },
            },
            ["overrides"] = new JsonArray(),
        };
        panel["options"] = new JsonObject
        {
            ["reduceOptions"] = new JsonObject { ["calcs"] = new JsonArray("lastNotNull"), ["fields"] = "", ["values"] = false },
            ["colorMode"] = "background",
            ["graphMode"] = "none",
        };
        return panel;
    }

    private static JsonObject InstrumentPanel(Exported instrument)
    {
        var limit = Exported.All.FirstOrDefault(each => ReferenceEquals(CountOf(each), instrument));
        var panel = Panel("timeseries", Title(instrument), instrument.Description);
        panel["targets"] = Targets(
            [.. QueriesOf(instrument), .. limit is null
                ? []
                : QueriesOf(limit).Select(query => (query.Expression, query.Legend + " limit"))]);
        panel["fieldConfig"] = new JsonObject
        {
            ["defaults"] = new JsonObject
            {
                ["unit"] = (instrument.Kind, instrument.Unit) switch
                {
                    (_, "s") =>
                    "s",
                    (_, "By") => "bytes",
                    ("counter", _) => "ops",
                    _ => "short"
                },
                ["min"] = 0,
                ["custom"] = new JsonObject { ["fillOpacity"] = 10, ["showPoints"] = "never" },
            },
            ["overrides"] = new JsonArray(),
        };
        panel["options"] = new JsonObject
        {
            ["legend"] = new JsonObject { ["displayMode"] = "list", ["placement"] = "bottom", ["showLegend"] = true },
            ["tooltip"] = new JsonObject { ["mode"] = "multi", ["sort"] = "desc" },
        };
        return panel;
    }

    private static (string Expression, string Legend)[] QueriesOf(Exported instrument)
    {
        var pool = instrument.PoolLabel;
        var selected = $"{Apps}, {pool}=~\"{(instrument.IsOfDatabases ? "$database" : "$pool")}\"";
        if (instrument.Kind is "histogram")
        {
            return
            [
                .. new[] { "0.5", "0.99" }.Select(quantile => (
                    $"histogram_quantile({quantile}, sum by (le, {pool}) " +
                    $"(rate({instrument.Name}_bucket{{{selected}}}[$__rate_interval])))",
                    $$$"""{{{{{pool}}}}} p{{{quantile[2..].PadRight(2, '0')}}}""")),
            ];
        }

        var series = instrument.Series(selected);
        var labels = instrument.Tag.Length == 0 ? pool : $"{pool}, {instrument.TagLabel}";
        var legend = string.Join(' ', labels.Split(", ").Select(label => $$$"""{{{{{label}}}}}"""));
        return [($"sum by ({labels}) ({(instrument.Kind is "counter" ? $"rate({series}[$__rate_interval])" : series)})", legend)];
    }

    // "poolhouse.pool.item.create_failures" is shown as "Item create failures".
    private static string Title(Exported instrument)
    {
        var words = instrument.Instrument.Replace("poolhouse.pool.", "", StringComparison.Ordinal)
            .Replace("poolhouse.db.", "", StringComparison.Ordinal)
            .Replace("db.client.", "", StringComparison.Ordinal).Replace('.', ' ').Replace('_', ' ');
        return char.ToUpperInvariant(words[0]) + words[1..];
    }

    private static JsonObject Variable(string name, string label, string source, string series) => new()
    {
        ["name"] = name,
        ["label"] = label,
        ["type"] = "query",
        ["datasource"] = Source(),
        ["query"] = new JsonObject { ["query"] = $"label_values({series}, {source})", ["refId"] = name },
        ["refresh"] = 2,
        ["sort"] = 1,
        ["multi"] = true,
        ["includeAll"] = true,
        ["allValue"] = ".*",
        ["current"] = new JsonObject { ["text"] = "All", ["value"] = "$__all" },
    };

    private static JsonObject Panel(string type, string title, string description) =>
        new() { ["type"] = type, ["title"] = title, ["description"] = description, ["datasource"] = Source() };

    private static JsonArray Targets(params (string Expression, string Legend)[] queries) =>
    [
        .. queries.Select((query, index) => new JsonObject
        {
            ["refId"] = ((char)('A' + index)).ToString(),
            ["datasource"] = Source(),
            ["expr"] = query.Expression,
            ["legendFormat"] = query.Legend,
        }),
    ];

    private static JsonObject Source() => new() { ["type"] = "prometheus", ["uid"] = "${datasource}" };

    private static void AddRow(JsonArray panels, string title)
    {
        var row = new JsonObject { ["type"] = "row", ["title"] = title, ["collapsed"] = false, ["panels"] = new JsonArray() };
        Add(panels, row, 0, Columns, 1);
    }

    private static void Add(JsonArray panels, JsonObject panel, int x, int width, int height)
    {
        var y = x == 0 ? panels.Select(each => each!["gridPos"]!).Select(at => (int)at["y"]! + (int)at["h"]!).DefaultIfEmpty(0)
            .Max() : (int)panels[^1]!["gridPos"]!["y"]!;
        panel["id"] = panels.Count + 1;
        panel["gridPos"] = new JsonObject { ["x"] = x, ["y"] = y, ["w"] = width, ["h"] = height };
        panels.Add(panel);
    }
}
