using Poolhouse.Repository.Tests.Docs;

namespace Poolhouse.Repository.Tests.Dashboards;

/// <summary>
/// An instrument of the tables in docs/guides/metrics.md, with the names that OpenTelemetry's exporters give it in Prometheus.
/// </summary>
/// <param name="Instrument">The instrument's own name.</param>
/// <param name="Kind">Counter, up-down counter or histogram.</param>
/// <param name="Unit">The unit, such as <c>s</c>.</param>
/// <param name="Tag">The tag in addition to the pool's name, or an empty text.</param>
/// <param name="Values">The values of that tag, as far as the table lists them.</param>
/// <param name="Description">One sentence.</param>
internal sealed record Exported(
    string Instrument, string Kind, string Unit, string Tag, IReadOnlyList<string> Values, string Description)
{
    private const string PoolName = "poolhouse.pool.name";
    private const string DatabasePoolName = "db.client.connection.pool.name";

    /// <summary>Every instrument of the page, in its order. Another test compares the tables with what pools publish.</summary>
    public static IReadOnlyList<Exported> All { get; } = [.. ReadTable("instruments"), .. ReadTable("database-instruments")];

    /// <summary>The name in Prometheus, of a histogram without the suffix of its series.</summary>
    public string Name =>
        Label(Instrument) + Unit switch { "s" => "_seconds", "By" => "_bytes", _ => "" } + (Kind is "counter" ? "_total" : "");

    /// <summary>Whether the instrument belongs to pools of database connections.</summary>
    public bool IsOfDatabases => Instrument.Contains("db.", StringComparison.Ordinal);

    /// <summary>The label with the name of the pool.</summary>
    public string PoolLabel => Label(IsOfDatabases ? DatabasePoolName : PoolName);

    /// <summary>The label of the tag, or an empty text.</summary>
    public string TagLabel => Label(Tag);

    public static Exported Find(string instrument) =>
        Assert.Single(All, each => string.Equals(each.Instrument, instrument, StringComparison.Ordinal));

    /// <summary>The series that a filter selects, all of them or those of some values of the tag.</summary>
    public string Series(string filter, params string[] values)
    {
        Assert.All(values, value => Assert.Contains(value, Values));
        var byTag = values switch
        {
            [] =>
            "",
            [var value] => $"{TagLabel}=\"{value}\"",
            _ => $"{TagLabel}=~\"{string.Join('|', values)}\""
        };
        var selector = string.Join(", ", new[] { filter, byTag }.Where(part => part.Length > 0));
        return selector.Length == 0 ? Name : $"{Name}{{{selector}}}";
    }

    private static IEnumerable<Exported> ReadTable(string marker) =>
        from row in MarkdownFile.Read("docs", "guides", "metrics.md").Table(marker)
        let names = row[3].Split('`').Where((_, index) => index % 2 == 1).ToList()
        select new Exported(row[0].Trim('`'), row[1], row[2].Trim('`'), names.FirstOrDefault(""), names.Skip(1).ToList(), row[4]);

    private static string Label(string name) => name.Replace('.', '_');
}
