using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary><c>Rent</c> in an asynchronous method becomes <c>await RentAsync</c>.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(RentAsynchronously)), Shared]
public sealed class RentAsynchronously : PoolhouseFix
{
    /// <summary>Used by the compiler.</summary>
    public RentAsynchronously()
        : base("PH1005")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (!finding.CanAwait
            || finding.Invocation is not { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "Rent" } member } call)
        {
            yield break;
        }

        var renamed = call.WithExpression(member.WithName(SyntaxFactory.IdentifierName("RentAsync")));
        if (finding.TargetOf(renamed, call.SpanStart) is null)
        {
            yield break;
        }

        var awaited = AddAwait.Await(renamed, call.Parent).WithTriviaFrom(call);
        if (call.Parent is EqualsValueClauseSyntax
            && finding.Declaration is { UsingKeyword.RawKind: not 0, AwaitKeyword.RawKind: 0 } declaration)
        {
            yield return new Proposal("Use 'await RentAsync'", () => finding.Root.ReplaceNode(
                declaration, AddUsing.With(declaration.ReplaceNode(call, awaited), isAsync: true)));
            yield break;
        }

        yield return new Proposal("Use 'await RentAsync'", () => finding.Root.ReplaceNode(call, awaited));
    }
}
