using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH1001, PH1004, PH2005, PH2010 and PH3002: a variable is rented into, and nothing in the body ends it or passes it on.
/// </summary>
internal sealed class NeverEnded : FlowRule
{
    // No fix may end an item whose parts are used elsewhere.
    private static readonly ImmutableDictionary<string, string?> _kept =
        ImmutableDictionary<string, string?>.Empty.Add("kept", null);

    public override void Completed(FlowAnalysis analysis)
    {
        foreach (var item in analysis.Variables.Items.Where(item => item.Ends.Count == 0 && !item.IsPassedOn))
        {
            foreach (var rent in item.Rents)
            {
                Report(analysis.Body, item, rent.Syntax);
            }
        }
    }

    private static void Report(BodyContext body, Item item, SyntaxNode place)
    {
        var properties = item.IsPartPassedOn ? _kept : null;
        switch (item.Kind)
        {
            case ItemKind.PendingRent:
                body.Report(Rules.RentNotAwaited, place, "The rent is never awaited: its lease is lost and never ended");
                break;
            case ItemKind.Lease or ItemKind.BufferLease:
                body.Report(Rules.LeaseNeverEnded, place, properties);
                break;
            case ItemKind.MemoryOwner:
                body.Report(Rules.MemoryOwner, place, properties, $"'{item.Name}' is never disposed or passed on");
                break;
            case ItemKind.Stream:
                body.Report(Rules.StreamNotDisposed, place, properties);
                break;
            default:
                body.Report(
                    Rules.NeverReturned, place, properties, $"'{item.Name}' is rented, but neither returned nor passed on");
                break;
        }
    }
}
