using System.Text.Json;

namespace Poolhouse.Repository.Tests.Dashboards;

/// <summary>The dashboard as Grafana reads it.</summary>
internal sealed class GrafanaFile
{
    private readonly JsonElement _root =
        JsonElement.Parse(File.ReadAllText(RepositoryFiles.PathOf("docs", "dashboards", "grafana.json")));

    public JsonElement Root => _root;

    public IEnumerable<JsonElement> Panels => _root.GetProperty("panels").EnumerateArray();

    public IEnumerable<JsonElement> Charts => Panels.Where(panel => TypeOf(panel) is not "row");

    public IEnumerable<JsonElement> Variables => _root.GetProperty("templating").GetProperty("list").EnumerateArray();

    public IEnumerable<string> Queries => Charts.SelectMany(Targets).Select(target => target.GetProperty("expr").GetString()!);

    public static string TypeOf(JsonElement element) => element.GetProperty("type").GetString()!;

    public static IEnumerable<JsonElement> Targets(JsonElement panel) => panel.GetProperty("targets").EnumerateArray();
}
