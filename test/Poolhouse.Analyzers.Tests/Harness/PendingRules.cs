namespace Poolhouse.Analyzers.Tests.Harness;

/// <summary>Rules that have an id and a page, but are not written yet. One that finds something must be removed from the list.</summary>
internal static class PendingRules
{
    public static IReadOnlySet<string> Ids { get; } = new HashSet<string>(StringComparer.Ordinal)
    {
        "PH1003", "PH1005", "PH1006", "PH1007", "PH1008", "PH1009", "PH1010", "PH1011", "PH1013",
        "PH2004", "PH2006", "PH2007", "PH2008", "PH2009", "PH2011", "PH3001", "PH4001", "PH4002", "PH4003",
    };
}
