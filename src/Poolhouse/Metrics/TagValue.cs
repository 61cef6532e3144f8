using System.Buffers;

namespace Poolhouse.Metrics;

/// <summary>Makes names usable as tag values.</summary>
// dotnet-counters and the event source of the runtime write tags as "name=value,name=value" without escapes.
internal static class TagValue
{
    private static readonly SearchValues<char> _separators = SearchValues.Create(",=");

    /// <summary>Replaces commas and equals signs; returns other names as they are.</summary>
    public static string Of(string name) =>
        name.AsSpan().ContainsAny(_separators)
            ? name.Replace(", ", ",", StringComparison.Ordinal).Replace(',', ';').Replace('=', ':')
            : name;
}
