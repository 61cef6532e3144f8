using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;
using Microsoft.CodeAnalysis.Text;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>Returns an item in a finally block, or rents an array with a lease.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ReturnOnEveryPath)), Shared]
public sealed class ReturnOnEveryPath : PoolhouseFix
{
    /// <summary>Used by the compiler.</summary>
    public ReturnOnEveryPath()
        : base("PH2005", "PH2006")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (finding.Declaration is not { Parent: BlockSyntax block, UsingKeyword.RawKind: 0 } declaration
            || declaration.Declaration.Variables[0] is not { Initializer.Value: InvocationExpressionSyntax rent } variable
            || rent is not
            {
                Expression: MemberAccessExpressionSyntax { Expression: var pool, Name.Identifier.Text: "Rent" or "Get" },
            }
            || finding.Model.GetDeclaredSymbol(variable) is not ILocalSymbol local || finding.IsItemKept)
        {
            yield break;
        }

        // Only returns in the same block can be moved without checking their conditions. PH2006 without a return here: the item
        // is returned under another name.
        var returns = finding.ReturnsOf(local, block).ToList();
        if (returns.Any(statement => statement.Parent != block) || finding.IsAssigned(local)
            || (returns.Count == 0 && string.Equals(finding.Id, "PH2006", StringComparison.Ordinal)))
        {
            yield break;
        }

        // What the rest of the block declares is not visible before the try block, and not in the finally block.
        var index = block.Statements.IndexOf(declaration) + 1;
        var outside = block.Statements.Take(index).Concat(returns.Skip(returns.Count - 1));
        if (!finding.DependOn(outside, TextSpan.FromBounds(declaration.Span.End, block.Span.End)))
        {
            yield return new Proposal("Return it in a finally block", () => finding.Root.ReplaceNode(
                block, WithFinally(block, index, returns, $"{pool.WithoutTrivia()}.Return({variable.Identifier.Text});")));
        }

        // A lease would not clear the array, as such a return does. An object pool of arrays rents without a length.
        if (local.Type is IArrayTypeSymbol array && rent.ArgumentList.Arguments.Count == 1
            && !returns.Any(statement => Clears(finding, statement))
            && finding.Model.Compilation.GetTypeByMetadataName("Poolhouse.TieredArrayPool`1") is not null)
        {
            yield return new Proposal("Rent it with a lease", () =>
            {
                var element = array.ElementType.ToMinimalDisplayString(finding.Model, declaration.SpanStart);
                var type = finding.Model.GetTypeInfo(pool).Type;
                var tiered = string.Equals(type?.Name, "TieredArrayPool", StringComparison.Ordinal)
                    ? pool.WithoutTrivia().ToString()
                    : $"{Poolhouse(finding, declaration)}TieredArrayPool<{element}>.Shared";
                var name = finding.FreeName(local.Name + "Lease");
                return finding.Root.ReplaceNode(block, WithLease(block, declaration, rent, returns, name, tiered));
            });
        }
    }

    private static BlockSyntax WithFinally(
        BlockSyntax block, int index, IReadOnlyCollection<ExpressionStatementSyntax> returns, string newReturn)
    {
        var last = returns.LastOrDefault() is { } moved ? WithComment(moved) : SyntaxFactory.ParseStatement(newReturn);
        var guarded = SyntaxFactory.TryStatement(
            SyntaxFactory.Block(block.Statements.Skip(index).Where(statement => !returns.Contains(statement))),
            default,
            SyntaxFactory.FinallyClause(SyntaxFactory.Block(last)));
        return block.WithStatements(SyntaxFactory.List(
            block.Statements.Take(index).Append(guarded.WithAdditionalAnnotations(Formatter.Annotation))));
    }

    private static BlockSyntax WithLease(
        BlockSyntax block, LocalDeclarationStatementSyntax declaration, InvocationExpressionSyntax rent,
        IReadOnlyCollection<ExpressionStatementSyntax> returns, string name, string pool)
    {
        var length = rent.ArgumentList.Arguments[0].Expression;
        StatementSyntax lease = SyntaxFactory.ParseStatement($"using var {name} = {pool}.RentExact({length});")
            .WithLeadingTrivia(declaration.GetLeadingTrivia())
            .WithTrailingTrivia(SyntaxFactory.ElasticCarriageReturnLineFeed);
        StatementSyntax rented = declaration.ReplaceNode(rent, SyntaxFactory.ParseExpression($"{name}.Segment.Array!"))
            .WithLeadingTrivia(SyntaxFactory.ElasticMarker);
        var tracked = block.TrackNodes([declaration, .. returns]);
        var remaining = (BlockSyntax)RemoveReturn.Remove(
            tracked, [.. returns.Select(statement => tracked.GetCurrentNode(statement)!)]);
        return remaining.ReplaceNode(remaining.GetCurrentNode(declaration)!, [lease, rented])
            .WithAdditionalAnnotations(Formatter.Annotation);
    }

    private static bool Clears(Finding finding, ExpressionStatementSyntax statement) =>
        ((InvocationExpressionSyntax)statement.Expression).ArgumentList.Arguments.Skip(1)
            .Any(argument => finding.Model.GetConstantValue(argument.Expression) is not { HasValue: true, Value: false });

    private static ExpressionStatementSyntax WithComment(ExpressionStatementSyntax statement) =>
        statement.WithoutTrivia().WithLeadingTrivia(
            statement.GetLeadingTrivia().SkipWhile(trivia => trivia.IsKind(SyntaxKind.EndOfLineTrivia)));

    private static string Poolhouse(Finding finding, SyntaxNode place) =>
        finding.Model.LookupNamespacesAndTypes(place.SpanStart, name: "TieredArrayPool").IsEmpty ? "Poolhouse." : "";
}
