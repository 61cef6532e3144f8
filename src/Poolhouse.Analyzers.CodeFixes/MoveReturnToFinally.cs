using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>Replaces a return in a try block and one in its handlers by one in the finally block.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(MoveReturnToFinally)), Shared]
public sealed class MoveReturnToFinally : PoolhouseFix
{
    /// <summary>Used by the compiler.</summary>
    public MoveReturnToFinally()
        : base("PH2003")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (finding.Invocation is not { Parent: ExpressionStatementSyntax } call
            || call.ArgumentList.Arguments.FirstOrDefault() is not { } argument
            || finding.SymbolOf(argument.Expression) is not { } item)
        {
            yield break;
        }

        // The innermost try statement that returns the item in its block and in a handler.
        var handled = call.Ancestors().OfType<TryStatementSyntax>().FirstOrDefault(candidate =>
            finding.ReturnsOf(item, candidate.Block).Any()
            && (candidate.Catches.Any(clause => finding.ReturnsOf(item, clause.Block).Any())
                || (candidate.Finally is not null && finding.ReturnsOf(item, candidate.Finally.Block).Any())));
        if (handled is not null && (ReturnsInFinally(finding, handled, item) || CanMove(finding, handled, item)))
        {
            yield return new Proposal("Return it in the finally block only", () => Move(finding, handled, item));
        }
    }

    private static bool ReturnsInFinally(Finding finding, TryStatementSyntax handled, ISymbol item) =>
        handled.Finally is not null && finding.ReturnsOf(item, handled.Finally.Block).Any();

    // Whether every way through the try statement may return the item: no return has a condition, and nothing uses it later.
    private static bool CanMove(Finding finding, TryStatementSyntax handled, ISymbol item) =>
        finding.ReturnsOf(item, handled.Block).All(statement => statement.Parent == handled.Block)
        && handled.Catches.All(
            clause => finding.ReturnsOf(item, clause.Block).All(statement => statement.Parent == clause.Block))
        && !(finding.Function is null or GlobalStatementSyntax ? finding.Root : finding.Function).DescendantNodes()
            .OfType<IdentifierNameSyntax>().Any(name => name.SpanStart > handled.Span.End
                && string.Equals(name.Identifier.ValueText, item.Name, StringComparison.Ordinal)
                && SymbolEqualityComparer.Default.Equals(finding.SymbolOf(name), item));

    private static SyntaxNode Move(Finding finding, TryStatementSyntax handled, ISymbol item)
    {
        var removed = new List<StatementSyntax>(finding.ReturnsOf(item, handled.Block));
        removed.AddRange(handled.Catches.SelectMany(clause => finding.ReturnsOf(item, clause.Block)));
        var last = finding.ReturnsOf(item, handled).Last();
        var returnsInFinally = ReturnsInFinally(finding, handled, item);

        var root = finding.Root.TrackNodes([handled, .. removed]);
        root = RemoveReturn.Remove(root, [.. removed.Select(statement => root.GetCurrentNode(statement)!)]);
        var remaining = root.GetCurrentNode(handled)!;
        var changed = WithoutIdleCatches(remaining);
        if (!returnsInFinally)
        {
            var statement = last.WithoutTrivia();
            changed = changed.WithFinally(changed.Finally is { } clause
                ? clause.WithBlock(clause.Block.AddStatements(statement))
                : SyntaxFactory.FinallyClause(SyntaxFactory.Block(statement)));
        }

        return root.ReplaceNode(remaining, changed.WithAdditionalAnnotations(Formatter.Annotation));
    }

    /// <summary>Removes catch blocks that only rethrow after their return was removed.</summary>
    private static TryStatementSyntax WithoutIdleCatches(TryStatementSyntax handled) => handled.WithCatches(SyntaxFactory.List(
        handled.Catches.Where(
            clause => clause.Block.Statements.Count != 1
                || clause.Block.Statements[0] is not ThrowStatementSyntax { Expression: null } || handled.Catches.Count > 1)));
}
