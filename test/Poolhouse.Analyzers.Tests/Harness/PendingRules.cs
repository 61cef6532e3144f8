namespace Poolhouse.Analyzers.Tests.Harness;

/// <summary>
/// Rules that have an id and a page, but are not written yet. One that finds something must be removed from the list.
/// </summary>
internal static class PendingRules
{
    public static IReadOnlySet<string> Ids { get; } = new HashSet<string>(StringComparer.Ordinal)
    {
    };
}
