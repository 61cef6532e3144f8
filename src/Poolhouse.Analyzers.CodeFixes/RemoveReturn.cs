using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>Removes a second return.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(RemoveReturn)), Shared]
public sealed class RemoveReturn : PoolhouseFix
{
    /// <summary>Used by the compiler.</summary>
    public RemoveReturn()
        : base("PH1011", "PH2001")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (finding.Invocation?.Parent is ExpressionStatementSyntax statement)
        {
            yield return new Proposal("Remove this return", () => Remove(finding.Root, [statement]));
        }
    }

    internal static SyntaxNode Remove(SyntaxNode root, IReadOnlyCollection<StatementSyntax> statements)
    {
        // The statement of an if without braces is replaced by an empty block.
        var embedded = statements.Where(statement => statement.Parent is not BlockSyntax and not SwitchSectionSyntax).ToList();
        root = root.TrackNodes(statements);
        root = root.ReplaceNodes(
            embedded.Select(statement => root.GetCurrentNode(statement)!),
            (original, _) => SyntaxFactory.Block().WithTriviaFrom(original));
        foreach (var statement in statements.Except(embedded))
        {
            var current = root.GetCurrentNode(statement)!;
            var hasComment = current.GetLeadingTrivia()
                .Any(trivia => !trivia.IsKind(SyntaxKind.WhitespaceTrivia) && !trivia.IsKind(SyntaxKind.EndOfLineTrivia));
            if (hasComment)
            {
                // The comment stays, but not the indentation after it: the next statement has its own.
                root = root.ReplaceNode(current, current.WithLeadingTrivia(WithoutIndentation(current.GetLeadingTrivia())));
                current = root.GetCurrentNode(statement)!;
            }

            root =
                root.RemoveNode(current, hasComment ? SyntaxRemoveOptions.KeepLeadingTrivia : SyntaxRemoveOptions.KeepNoTrivia)!;
        }

        return root;
    }

    private static SyntaxTriviaList WithoutIndentation(SyntaxTriviaList trivia) =>
        trivia.Last().IsKind(SyntaxKind.WhitespaceTrivia) ? trivia.RemoveAt(trivia.Count - 1) : trivia;
}
