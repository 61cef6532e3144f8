using Poolhouse.Tool.Bench.Charts;

namespace Poolhouse.Tool.Bench;

/// <summary>Charts that are shown side by side.</summary>
internal sealed record ChartGroup(string Heading, IReadOnlyList<Chart> Charts);
