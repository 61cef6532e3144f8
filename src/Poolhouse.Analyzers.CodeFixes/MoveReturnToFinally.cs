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
        if (handled is not null && CanMove(finding, handled, item))
        {
            yield return new Proposal("Return it in the finally block only", () => Move(finding, handled, item));
        }
    }

    private static bool ReturnsInFinally(Finding finding, TryStatementSyntax handled, ISymbol item) =>
        handled.Finally is not null && finding.ReturnsOf(item, handled.Finally.Block).Any();

    // Whether the finally block may replace every other return: none has a condition, or precedes an assignment to the variable.
    // A finally block that does not return the item yet would also return one that is passed on or used later.
    private static bool CanMove(Finding finding, TryStatementSyntax handled, ISymbol item)
    {
        IReadOnlyList<BlockSyntax> blocks = [handled.Block, .. handled.Catches.Select(clause => clause.Block)];
        var begin = finding.ReturnsOf(item, handled.Block).First().Span.End;
        var end = blocks[blocks.Count - 1].Span.End;
        return blocks.All(block => finding.ReturnsOf(item, block).All(statement => statement.Parent == block))
            && !finding.UsesOf(item).Any(name => name.SpanStart > begin && name.SpanStart < end && Finding.IsTarget(name))
            && (ReturnsInFinally(finding, handled, item)
                || (!blocks.Any(block => MayPassOn(finding, block, item))
                    && !finding.UsesOf(item).Any(name => name.SpanStart > end)
                    && !finding.DependOn([finding.ReturnsOf(item, handled).Last()], handled.Span)));
    }

    // An exit before the return may pass the item on, and so may any use of the item in a block that does not return it.
    private static bool MayPassOn(Finding finding, BlockSyntax block, ISymbol item)
    {
        if (finding.ReturnsOf(item, block).FirstOrDefault() is not { } first)
        {
            return finding.UsesOf(item).Any(name => block.Span.Contains(name.Span));
        }

        var index = block.Statements.IndexOf(first);
        return index > 0 && finding.Model.AnalyzeControlFlow(block.Statements[0], block.Statements[index - 1])
            is not { Succeeded: true, ExitPoints.IsEmpty: true };
    }

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
