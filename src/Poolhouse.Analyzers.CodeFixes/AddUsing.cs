using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>Ends a lease, an owner or a stream at the end of its block.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(AddUsing)), Shared]
public sealed class AddUsing : PoolhouseFix
{
    /// <summary>Used by the compiler.</summary>
    public AddUsing()
        : base("PH1001", "PH2010", "PH3002")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (finding.Declaration is not { UsingKeyword.RawKind: 0 } declaration || !CanBeUsing(declaration)
            || finding.Invocation is not { } rent || !Holds(declaration.Declaration.Variables[0], rent)
            || finding.Model.GetDeclaredSymbol(declaration.Declaration.Variables[0]) is not ILocalSymbol local
            || finding.IsAssigned(local) || finding.IsItemKept)
        {
            yield break;
        }

        if (finding.CanAwait && finding.Implements(local.Type, "System.IAsyncDisposable"))
        {
            yield return new Proposal(
                "Add 'await using'", () => finding.Root.ReplaceNode(declaration, With(declaration, isAsync: true)));
        }
        else if (finding.Implements(local.Type, "System.IDisposable"))
        {
            yield return new Proposal(
                "Add 'using'", () => finding.Root.ReplaceNode(declaration, With(declaration, isAsync: false)));
        }
    }

    /// <summary>Whether the place allows a using declaration: a section of a switch statement does not.</summary>
    internal static bool CanBeUsing(StatementSyntax declaration) => declaration.Parent is BlockSyntax or GlobalStatementSyntax;

    /// <summary>Whether the local is what was rented, not a member of it or the result of another call.</summary>
    private static bool Holds(VariableDeclaratorSyntax local, InvocationExpressionSyntax rent)
    {
        var value = local.Initializer?.Value;
        while (value is not null && value != rent)
        {
            value = value switch
            {
                AwaitExpressionSyntax wait => wait.Expression,
                ParenthesizedExpressionSyntax parenthesized => parenthesized.Expression,
                InvocationExpressionSyntax
                {
                    Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "ConfigureAwait" } configured,
                } => configured.Expression,
                _ => null,
            };
        }

        return value is not null;
    }

    /// <summary>The declaration as a using declaration.</summary>
    internal static LocalDeclarationStatementSyntax With(LocalDeclarationStatementSyntax declaration, bool isAsync)
    {
        var bare = declaration.WithoutLeadingTrivia();
        var keyword = SyntaxFactory.Token(SyntaxKind.UsingKeyword).WithTrailingTrivia(SyntaxFactory.Space);
        bare = bare.WithUsingKeyword(keyword);
        if (isAsync)
        {
            bare = bare.WithAwaitKeyword(SyntaxFactory.Token(SyntaxKind.AwaitKeyword).WithTrailingTrivia(SyntaxFactory.Space));
        }

        return bare.WithLeadingTrivia(declaration.GetLeadingTrivia());
    }
}
