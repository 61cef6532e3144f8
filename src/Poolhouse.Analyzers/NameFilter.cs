using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;

namespace Poolhouse.Analyzers;

/// <summary>Tells, by text alone, which bodies may rent or return something.</summary>
// A file is searched once for the names, and a body asks whether one of them stands inside it. No syntax node is visited.
internal sealed class NameFilter
{
    // 'Rent' is also found in RentAsync, RentExact, RentLease and TryRent.
    private static readonly string[] _names =
    {
        "Rent", ".Return(", ".Get()", "Lease", "Detach", "GetStream", "PooledStream",
        "IsBroken(", "IsClosed(", "NeedsReset(", "ResetAsync(", "Policy(", "assword", "redential", "ecret",
    };

    private readonly ConcurrentDictionary<SyntaxTree, int[]> _places = new();

    public bool MayConcern(SyntaxNode body, TreeOptions options)
    {
        var places = _places.GetOrAdd(body.SyntaxTree, tree => Find(tree, options));
        var first = Array.BinarySearch(places, body.SpanStart);
        var next = first < 0 ? ~first : first;
        return next < places.Length && places[next] < body.Span.End;
    }

    private static int[] Find(SyntaxTree tree, TreeOptions options)
    {
        var text = tree.GetText().ToString();
        var places = new List<int>();
        foreach (var name in _names.Concat(options.RentMethods.Keys))
        {
            for (var at = text.IndexOf(name, StringComparison.Ordinal); at >= 0;
                 at = text.IndexOf(name, at + name.Length, StringComparison.Ordinal))
            {
                places.Add(at);
            }
        }

        places.Sort();
        return places.ToArray();
    }
}
