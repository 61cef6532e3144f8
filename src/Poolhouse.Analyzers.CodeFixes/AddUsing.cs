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
        if (finding.Declaration is not { UsingKeyword.RawKind: 0 } declaration
            || finding.Model.GetDeclaredSymbol(declaration.Declaration.Variables[0]) is not ILocalSymbol local)
        {
            yield break;
        }

        if (finding.IsAsync && finding.Implements(local.Type, "System.IAsyncDisposable"))
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
