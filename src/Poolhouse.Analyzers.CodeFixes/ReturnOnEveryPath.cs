using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;

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
            || finding.Model.GetDeclaredSymbol(variable) is not ILocalSymbol local)
        {
            yield break;
        }

        // Only returns in the same block can be moved without checking their conditions.
        var returns = finding.ReturnsOf(local, block).ToList();
        if (returns.Any(statement => statement.Parent != block))
        {
            yield break;
        }

        yield return new Proposal("Return it in a finally block", () =>
        {
            var last = returns.LastOrDefault() is { } moved ? WithComment(moved)
                : (ExpressionStatementSyntax)SyntaxFactory.ParseStatement($"{pool.WithoutTrivia()}.Return({local.Name});");
            var index = block.Statements.IndexOf(declaration) + 1;
            var guarded = SyntaxFactory.TryStatement(
                SyntaxFactory.Block(block.Statements.Skip(index).Where(statement => !returns.Contains(statement))),
                default,
                SyntaxFactory.FinallyClause(SyntaxFactory.Block(last)));
            return finding.Root.ReplaceNode(block, block.WithStatements(SyntaxFactory.List(
                block.Statements.Take(index).Append(guarded.WithAdditionalAnnotations(Formatter.Annotation)))));
        });

        if (local.Type is IArrayTypeSymbol array
            && finding.Model.Compilation.GetTypeByMetadataName("Poolhouse.TieredArrayPool`1") is not null)
        {
            yield return new Proposal("Rent it with a lease", () =>
            {
                var element = array.ElementType.ToMinimalDisplayString(finding.Model, declaration.SpanStart);
                var name = string.Equals(finding.Model.GetTypeInfo(pool).Type?.Name, "TieredArrayPool", StringComparison.Ordinal)
                    ? pool.WithoutTrivia().ToString()
                    : $"{Poolhouse(finding, declaration)}TieredArrayPool<{element}>.Shared";
                StatementSyntax lease =
                    SyntaxFactory.ParseStatement($"using var {local.Name}Lease = {name}.RentExact{rent.ArgumentList};")
                    .WithLeadingTrivia(declaration.GetLeadingTrivia())
                    .WithTrailingTrivia(SyntaxFactory.ElasticCarriageReturnLineFeed);
                StatementSyntax rented = declaration.ReplaceNode(
                    rent, SyntaxFactory.ParseExpression($"{local.Name}Lease.Segment.Array!"))
                        .WithLeadingTrivia(SyntaxFactory.ElasticMarker);
                var tracked = block.TrackNodes([declaration, .. returns]);
                var remaining = (BlockSyntax)RemoveReturn.Remove(
                    tracked, [.. returns.Select(statement => tracked.GetCurrentNode(statement)!)]);
                var current = remaining.GetCurrentNode(declaration)!;
                return finding.Root.ReplaceNode(
                    block, remaining.ReplaceNode(current, [lease, rented]).WithAdditionalAnnotations(Formatter.Annotation));
            });
        }
    }

    private static ExpressionStatementSyntax WithComment(ExpressionStatementSyntax statement) =>
        statement.WithoutTrivia().WithLeadingTrivia(
            statement.GetLeadingTrivia().SkipWhile(trivia => trivia.IsKind(SyntaxKind.EndOfLineTrivia)));

    private static string Poolhouse(Finding finding, SyntaxNode place) =>
        finding.Model.LookupNamespacesAndTypes(place.SpanStart, name: "TieredArrayPool").IsEmpty ? "Poolhouse." : "";
}
