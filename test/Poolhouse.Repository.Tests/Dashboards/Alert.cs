using System.Text;
using Poolhouse.OpenTelemetry;

namespace Poolhouse.Repository.Tests.Dashboards;

/// <summary>An alert on the instruments of pools; the file of rules is written from <see cref="All"/>.</summary>
/// <param name="Name">The name of the alert.</param>
/// <param name="Title">What a panel with the number of pools concerned is called.</param>
/// <param name="Expression">Has a value for each pool concerned, among the series that its argument, a filter of labels,
/// selects.</param>
/// <param name="For">How long the expression must hold; an empty text for no time.</param>
/// <param name="Severity">Warning or critical.</param>
/// <param name="Summary">The text of the notification; <c>{pool}</c> stands for the pool.</param>
internal sealed record Alert(
    string Name, string Title, Func<string, string> Expression, string For, string Severity, string Summary)
{
    // Pools of two processes are two pools, whatever their names are.
    private const string Pool = "job, instance, poolhouse_pool_name";

    public static IReadOnlyList<Alert> All { get; } =
    [
        new(
            "PoolExhausted",
            "Exhausted",
            static filter =>
                $"""
                {Sum(Exported.Find(PoolhouseInstruments.ItemCount).Series(filter, "leased"))}
                  >= on ({Pool}) {Sum(Exported.Find(PoolhouseInstruments.ItemMax).Series(filter))}
                and on ({Pool}) {Sum(Exported.Find(PoolhouseInstruments.PendingRequests).Series(filter))} > 0
                """,
            "1m",
            "warning",
            "All items of pool {pool} are leased, and callers wait."),
        new(
            "PoolRefusesCallers",
            "Refusing callers",
            static filter => Grows(Exported.Find(PoolhouseInstruments.WaitFailures).Series(filter, "shed", "timeout"), "5m"),
            "",
            "critical",
            "Callers of pool {pool} timed out or were refused."),
        new(
            "PoolCannotCreateItems",
            "Creations fail",
            static filter => Grows(Exported.Find(PoolhouseInstruments.ItemCreateFailures).Series(filter), "5m"),
            "1m",
            "critical",
            "Creating items of pool {pool} fails."),
        new(
            "PoolLeaks",
            "Suspected leaks",
            static filter => Grows(Exported.Find(PoolhouseInstruments.SuspectedLeaks).Series(filter), "1h"),
            "",
            "warning",
            "Items of pool {pool} were leased for longer than LeakThreshold."),
        new(
            "PoolItemsReturnedTwice",
            "Items returned twice",
            static filter => Grows(Exported.Find(PoolhouseInstruments.DoubleReturns).Series(filter), "1h"),
            "",
            "warning",
            "Items of pool {pool} were returned twice, which is a bug of the program."),
    ];

    /// <summary>The file of rules.</summary>
    public static string WriteFile()
    {
        var text = new StringBuilder(
            """
            # Alert rules for Prometheus, generated from the instruments in docs/guides/metrics.md (README.md in this folder says how).
            # The names are those that the exporters of OpenTelemetry give to the instruments.
            groups:
              - name: poolhouse
                rules:

            """);
        foreach (var alert in All)
        {
            text.Append("      - alert: ").Append(alert.Name).Append("\n        expr: |\n");
            foreach (var line in alert.Expression("").Split('\n'))
            {
                text.Append("          ").Append(line.TrimEnd('\r')).Append('\n');
            }

            text.Append(alert.For.Length == 0 ? "" : $"        for: {alert.For}\n")
                .Append("        labels: {severity: ").Append(alert.Severity).Append("}\n")
                .Append("        annotations:\n          summary: ").Append(
                    alert.Summary.Replace(
                        "{pool}", "{{ $labels.poolhouse_pool_name }} in {{ $labels.job }}", StringComparison.Ordinal))
                            .Append('\n');
        }

        return text.ToString();
    }

    private static string Sum(string series) => $"sum by ({Pool}) ({series})";

    private static string Grows(string series, string time) => $"{Sum($"increase({series}[{time}])")} > 0";
}
