using System.Text.Json;
using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Dashboards;

/// <summary>What Grafana needs in order to import a dashboard, from its description of the format (schema version 39).</summary>
public sealed partial class DashboardStructure
{
    private const int Columns = 24;
    private readonly GrafanaFile _file = new();

    [Fact]
    public void It_has_an_id_a_title_and_the_version_of_its_format()
    {
        Assert.Matches("^[a-zA-Z0-9_-]{1,40}$", _file.Root.GetProperty("uid").GetString());
        Assert.Equal("Poolhouse", _file.Root.GetProperty("title").GetString());
        Assert.Equal(39, _file.Root.GetProperty("schemaVersion").GetInt32());
        Assert.False(_file.Root.TryGetProperty("id", out _), "The number is chosen by the Grafana that imports it.");
    }

    [Fact]
    public void Panels_have_numbers_of_their_own_and_do_not_overlap()
    {
        Assert.Distinct(_file.Panels.Select(panel => panel.GetProperty("id").GetInt32()));
        var cells = _file.Panels.SelectMany(CellsOf).ToList();
        Assert.Distinct(cells);
        Assert.All(cells, cell => Assert.InRange(cell.X, 0, Columns - 1));
    }

    [Fact]
    public void Panels_are_of_types_that_every_grafana_has() =>
        Assert.All(_file.Panels, panel => Assert.True(GrafanaFile.TypeOf(panel) is "row" or "stat" or "timeseries"));

    [Fact]
    public void Every_query_goes_to_the_chosen_data_source_under_a_letter_of_its_own()
    {
        Assert.All(
            _file.Charts,
            panel => Assert.Distinct(GrafanaFile.Targets(panel).Select(target => target.GetProperty("refId").GetString())));
        Assert.All(
            _file.Charts.Concat(_file.Charts.SelectMany(GrafanaFile.Targets))
                .Concat(_file.Variables.Where(variable => GrafanaFile.TypeOf(variable) is "query")),
            each => Assert.Equal(
                "prometheus ${datasource}",
                $"{GrafanaFile.TypeOf(each.GetProperty("datasource"))} {each.GetProperty("datasource").GetProperty("uid")}"));
    }

    [Fact]
    public void Every_variable_of_a_query_is_defined_and_every_defined_one_is_used()
    {
        var text = _file.Root.GetRawText();
        var used = Variable().Matches(text).Select(match => match.Groups["name"].Value)
            .Where(name => !name.StartsWith("__", StringComparison.Ordinal));

        Assert.Equal(
            _file.Variables.Select(variable => variable.GetProperty("name").GetString()!).Order(StringComparer.Ordinal),
            used.Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Every_instrument_is_shown() => Assert.All(
        Exported.All,
        instrument => Assert.Contains(_file.Queries, query => query.Contains(instrument.Name, StringComparison.Ordinal)));

    private static IEnumerable<(int X, int Y)> CellsOf(JsonElement panel)
    {
        var at = panel.GetProperty("gridPos");
        return
            from x in Enumerable.Range(at.GetProperty("x").GetInt32(), at.GetProperty("w").GetInt32())
            from y in Enumerable.Range(at.GetProperty("y").GetInt32(), at.GetProperty("h").GetInt32())
            select (x, y);
    }

    [GeneratedRegex(@"\$\{?(?<name>[a-z_]+)\}?", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Variable();
}
