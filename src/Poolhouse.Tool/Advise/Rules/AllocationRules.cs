using Poolhouse.Tool.Advise.Sampling;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Advise.Rules;

/// <summary>Which allocations are worth pooling.</summary>
internal static class AllocationRules
{
    private const double Worth = 16 << 20;
    private const double WorthLarge = 1 << 20;
    private const double SmallestArray = 1 << 10;
    private const double SmallObject = 512;
    private const int FewestCollections = 2;
    private const double LeastShare = 0.05;
    private const double MostlyKept = 0.5;
    private const int MostRemarks = 3;

    private const string WorthReason =
        "from 16 MiB a second on: less takes about 0.2 % of a processor to allocate and collect.";

    private static readonly string[] _shared =
    [
        "System.Text.RegularExpressions.Regex", "System.Text.Json.JsonSerializerOptions",
        "System.Xml.Serialization.XmlSerializer", "System.Net.Http.HttpClient", "System.Net.Http.SocketsHttpHandler",
    ];

    public static IEnumerable<Finding> Find(Sample sample)
    {
        // With fewer collections, it is not known what is kept, and they cost next to nothing.
        if (sample.Kept >= MostlyKept || sample.Collections.Sum() < FewestCollections)
        {
            yield break;
        }

        foreach (var group in sample.Sites.Where(site => site.Way is not (AllocationWay.Pool or AllocationWay.Copy))
            .GroupBy(KeyOf).Select(sites => Group.Of(sites)).OrderByDescending(group => group.Bytes))
        {
            var isLarge = group.LargeBytes >= WorthLarge && sample.Collections[2] >= FewestCollections;
            if ((group.Bytes >= Worth || isLarge) && group.Bytes >= sample.Allocated * LeastShare
                && FindingOf(group, isLarge, sample) is { } finding)
            {
                yield return finding;
            }
        }
    }

    public static IEnumerable<Remark> Remarks(Sample sample)
    {
        if (sample.Kept >= MostlyKept)
        {
            yield return new Remark(
                "what the app allocates",
                $"The heap grew by {Units.Digits(sample.Kept.Value * 100)} % of it: it is kept, not discarded. A pool "
                + "only saves what is discarded.");
        }
        else if (sample.Allocated < Worth)
        {
            var isFound = Find(sample).Any();
            yield return new Remark(
                isFound ? "other objects and arrays" : "objects and arrays",
                $"The app allocates {Units.Bytes(sample.Allocated)} a second in all: " +
                $"{(isFound ? "apart from the findings, " : "")}too little to gain from.");
        }

        var least = Math.Max(Worth / 4, sample.Allocated * LeastShare);
        foreach (var type in sample.Sites
            .Where(site => site.Way == AllocationWay.Direct && site.Type is not ("System.String" or ""))
            .GroupBy(site => site.Type, StringComparer.Ordinal)
            .Select(sites => (
                Type: sites.Key, Bytes: sites.Sum(each => each.Bytes), Size: sites.MaxBy(each => each.Bytes)!.Size))
            .Where(type => type.Size < SmallObject && type.Bytes >= least)
            .OrderByDescending(type => type.Bytes).Take(MostRemarks))
        {
            yield return new Remark(
                TypeName.Of(type.Type),
                $"{Units.Bytes(type.Bytes)} a second, {Units.Digits(type.Size)} B each: small and short-lived. Renting one " +
                "takes about as long as allocating it.");
        }

        var strings = sample.Sites.Where(site => site.Type == "System.String").Sum(each => each.Bytes);
        if (strings >= Math.Max(Worth, sample.Allocated * LeastShare))
        {
            yield return new Remark(
                "string",
                $"{Units.Bytes(strings)} a second. Strings cannot be pooled: write to a Stream or an " +
                "IBufferWriter<byte> instead.");
        }
    }

    // What one change would save together.
    private static (AllocationWay Way, string Method, string Owner, string Type) KeyOf(AllocationSite site) => (
        site.Way, site.Method, site.Owner,
        site.Way is AllocationWay.Direct or AllocationWay.Collection ? site.Type : "");

    private static Finding? FindingOf(Group group, bool isLarge, Sample sample) => group.Way switch
    {
        AllocationWay.MemoryStream => Found(
            sample, group, "memory-stream", "Rent the stream instead of creating a MemoryStream",
            "using var stream = StreamPool.Shared.Rent();   // grows without copying", "guides/streams.md",
            "A final ToArray still allocates its result: read the stream, or use WriteTo."),
        AllocationWay.StringBuilder => Found(
            sample, group, "builder", "Pool the StringBuilder",
            """
            static readonly TieredObjectPool<StringBuilder> Texts = new(
                () => new StringBuilder(), text => text.Clear().Capacity <= 65_536);

            using var text = Texts.Rent();   // text.Value is the StringBuilder
            """,
            "guides/objects.md", "Its ToString still allocates the string."),
        AllocationWay.Collection when group.Size >= SmallestArray => Found(
            sample, group, "collection", $"Pool the {TypeName.Of(group.Owner)}, or create it with its capacity",
            $$"""
            static readonly TieredObjectPool<{{TypeName.OfCollection(group.Owner, group.Type)}}> Items =
                new(() => [], items => { items.Clear(); return true; });

            using var items = Items.Rent();   // items.Value keeps its capacity
            """,
            "guides/objects.md", "Only if it does not outlive the method that fills it."),
        AllocationWay.Constructor => OfConstructor(sample, group),
        AllocationWay.Direct when group.IsArray && (isLarge || group.Size >= SmallestArray) => OfArray(sample, group, isLarge),
        _ => null,
    };

    private static Finding? OfConstructor(Sample sample, Group group)
    {
        var name = TypeName.Of(group.Owner);
        var isOfFramework = group.Owner.StartsWith("System.", StringComparison.Ordinal)
            || group.Owner.StartsWith("Microsoft.", StringComparison.Ordinal);
        if (isOfFramework)
        {
            return Array.Exists(_shared, type => type == group.Owner)
                ? Found(
                    sample, group, "share", $"Create the {name} once and share it",
                    $"// thread safe: no pool is needed\nstatic readonly {name} Shared = new(…);", "guides/which-pool.md", "")
                : null;
        }

        return group.Size < SmallObject ? null : Found(
            sample, group, "objects", $"Pool the {name}: its constructor allocates",
            $$"""
            // Reset makes it as it was when it was new:
            static readonly TieredObjectPool<{{name}}> Pool =
                new(() => new {{name}}(), item => { item.Reset(); return true; });

            using var item = Pool.Rent();   // item.Value is the {{name}}
            """,
            "guides/objects.md", "Only if it can be reset, and nothing refers to it after its return.");
    }

    private static Finding OfArray(Sample sample, Group group, bool isLarge)
    {
        var element = TypeName.Of(group.Type[..^2]);
        var code = $$"""
            var array = ArrayPool<{{element}}>.Shared.Rent(length);   // at least that long
            try { … } finally { ArrayPool<{{element}}>.Shared.Return(array); }

            // or, of the exact length and returned exactly once:
            using var lease = TieredArrayPool<{{element}}>.Shared.RentExact(length);
            """;
        return Found(
            sample, group, isLarge ? "large-arrays" : "arrays", $"Rent the {element} arrays instead of creating them", code,
            "guides/arrays.md", "Only if nothing refers to an array after its return.", isLarge);
    }

    private static Finding Found(
        Sample sample, Group group, string rule, string title, string code, string page, string caveat,
        bool isLarge = false)
    {
        return new Finding
        {
            Rule = rule,
            Title = title,
            Where = group.Method,
            Figures =
                $"{Units.Bytes(group.Bytes)} a second, {Units.Digits(100 * group.Bytes / Math.Max(sample.Allocated, 1))} % of what " +
                $"is allocated, {Units.Bytes(group.Size)} each" +
                (group.LargeBytes > 0
                    ? $"; {Units.Bytes(group.LargeBytes)} of them on the large object heap, with " +
                        $"{Units.Count(sample.Collections[2])} gen-2 collections in {Units.Digits(sample.Time.TotalSeconds)} s"
                    : "") + sample.Extrapolated(sample.AllocationsSeen) + ".",
            Threshold = isLarge
                ? "from 1 MiB a second of arrays of 85,000 bytes and more, if there are gen-2 collections: only those free them."
                : WorthReason,
            Code = code,
            Estimate = new Estimate(Estimate.Bytes, sample.Allocated, Math.Max(0, sample.Allocated - group.Bytes)),
            Caveat = caveat,
            Url = Docs.Page(page),
        };
    }

    /// <summary>What one change would save.</summary>
    private sealed record Group(AllocationWay Way, string Method, string Owner, string Type)
    {
        public double Bytes { get; private init; }

        public double LargeBytes { get; private init; }

        public double Size { get; private init; }

        public bool IsArray => Type.EndsWith("[]", StringComparison.Ordinal);

        public static Group Of(IGrouping<(AllocationWay Way, string Method, string Owner, string Type), AllocationSite> sites) =>
            new(sites.Key.Way, sites.Key.Method, sites.Key.Owner, sites.Key.Type)
            {
                Bytes = sites.Sum(each => each.Bytes),
                LargeBytes = sites.Where(each => each.IsLarge).Sum(each => each.Bytes),
                Size = sites.MaxBy(each => each.Bytes)!.Size,
            };
    }
}
