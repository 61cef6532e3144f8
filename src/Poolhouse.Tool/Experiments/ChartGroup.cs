using Poolhouse.Tool.Charts;

namespace Poolhouse.Tool.Experiments;

/// <summary>Charts that are looked at side by side.</summary>
internal sealed record ChartGroup(string Heading, IReadOnlyList<Chart> Charts);
