using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH2005: an item is returned on some paths, but a path on which it is certainly held ends without a return.</summary>
internal sealed class NotReturnedOnPath : FlowRule
{
    private readonly HashSet<Item> _held = new();

    public override void Exited(FlowAnalysis analysis, ItemState[] state) =>
        _held.UnionWith(analysis.Variables.Items.Where(item => state[item.Index] == ItemState.Held));

    public override void Completed(FlowAnalysis analysis)
    {
        foreach (var item in _held.Where(item => item.Kind is ItemKind.Array or ItemKind.Object
            && !item.IsParameter
            && item.Rents.Count == 1 && item.Ends.Count > 0 && !item.IsPassedOn))
        {
            analysis.Body.Report(Rules.NeverReturned, item.Rents[0].Syntax, $"'{item.Name}' is not returned on every path");
        }
    }
}
