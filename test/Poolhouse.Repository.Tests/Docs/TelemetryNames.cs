using System.Reflection;
using System.Text.RegularExpressions;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Poolhouse.OpenTelemetry;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>
/// The constants of Poolhouse.OpenTelemetry are the names in the tables of the metrics page, which are compared with what pools
/// emit.
/// </summary>
public sealed partial class TelemetryNames
{
    private static readonly string[][] _rows =
    [
        .. MarkdownFile.Read("docs", "guides", "metrics.md").Table("instruments").Select(row => row.ToArray()),
        .. MarkdownFile.Read("docs", "guides", "metrics.md").Table("database-instruments").Select(row => row.ToArray()),
    ];

    [Fact]
    public void Every_instrument_has_a_constant() => Assert.Equal(
        _rows.Select(row => row[0].Trim('`')).Order(StringComparer.Ordinal),
        ConstantsOf(typeof(PoolhouseInstruments)).Order(StringComparer.Ordinal));

    [Fact]
    public void Every_tag_has_a_constant() => Assert.Equal(
        _rows.Select(row => FirstName().Match(row[3]).Groups["name"].Value).Where(name => name.Length > 0)
            .Append("poolhouse.pool.name").Append("db.client.connection.pool.name").Distinct(StringComparer.Ordinal)
            .Order(StringComparer.Ordinal),
        ConstantsOf(typeof(PoolhouseTags)).Order(StringComparer.Ordinal));

    [Fact]
    public void The_meters_and_sources_are_those_of_the_assemblies_and_are_collected()
    {
        var (metrics, traces) = (new Meters(), new Sources());
        metrics.AddPoolhouse();
        traces.AddPoolhouse();

        Assert.Equal(["Poolhouse", "Poolhouse.Data"], metrics.Names);
        Assert.Equal(["Poolhouse.Data"], traces.Names);
        var source = File.ReadAllText(RepositoryFiles.PathOf("docs", "guides", "metrics.md"));
        Assert.All(
            ConstantsOf(typeof(PoolhouseTelemetry)), name => Assert.Contains($"`{name}`", source, StringComparison.Ordinal));
    }

    private static IEnumerable<string> ConstantsOf(Type type) =>
        type.GetFields(BindingFlags.Public | BindingFlags.Static).Select(field => (string)field.GetRawConstantValue()!);

    [GeneratedRegex("^`(?<name>[a-z_.]+)`", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex FirstName();

    private sealed class Meters : MeterProviderBuilder
    {
        public List<string> Names { get; } = [];

        public override MeterProviderBuilder AddInstrumentation<TInstrumentation>(Func<TInstrumentation?> instrumentationFactory)
            where TInstrumentation : class => this;

        public override MeterProviderBuilder AddMeter(params string[] names)
        {
            Names.AddRange(names);
            return this;
        }
    }

    private sealed class Sources : TracerProviderBuilder
    {
        public List<string> Names { get; } = [];

        public override TracerProviderBuilder AddInstrumentation<TInstrumentation>(Func<TInstrumentation?> instrumentationFactory)
            where TInstrumentation : class => this;

        public override TracerProviderBuilder AddSource(params string[] names)
        {
            Names.AddRange(names);
            return this;
        }

        public override TracerProviderBuilder AddLegacySource(string operationName) => this;
    }
}
