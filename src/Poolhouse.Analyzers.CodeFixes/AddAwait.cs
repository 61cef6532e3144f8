using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>
/// Awaits a rent, or a task that uses a lease of this method. A method that returns a task becomes asynchronous.
/// </summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(AddAwait)), Shared]
public sealed class AddAwait : PoolhouseFix
{
    private const string Title = "Add 'await'";

    /// <summary>Used by the compiler.</summary>
    public AddAwait()
        : base("PH1004", "PH1010")
    {
    }

    private protected override IEnumerable<Proposal> Propose(Finding finding)
    {
        if (string.Equals(finding.Id, "PH1010", StringComparison.Ordinal))
        {
            if (!finding.IsAsync && finding.Function is MethodDeclarationSyntax { Body: not null } method
                && ReturnsATask(method, finding))
            {
                yield return new Proposal(Title, () => finding.Root.ReplaceNode(method, WithAwaits(method)));
            }

            yield break;
        }

        var call = finding.Invocation;
        if (!finding.CanAwait || call is null || call != finding.Node || call.Parent is AwaitExpressionSyntax)
        {
            yield break;
        }

        if (StatementOf(call) is { } statement)
        {
            // The lease was not assigned: it gets a name, and ends with its block. All rents of a member may be fixed at once.
            if (AddUsing.CanBeUsing(statement))
            {
                var before = finding.Member.DescendantNodes().OfType<InvocationExpressionSyntax>()
                    .Count(other => other.SpanStart < call.SpanStart && StatementOf(other) is not null && IsRent(other));
                yield return new Proposal(Title, () => finding.Root.ReplaceNode(
                    statement, LeaseOf(call, finding.FreeName("lease", before)).WithTriviaFrom(statement)));
            }
        }
        else if (call.Parent is EqualsValueClauseSyntax && finding.Declaration is { UsingKeyword.RawKind: 0 } declaration)
        {
            // The variable becomes the lease: nothing may use it as a task.
            if (AddUsing.CanBeUsing(declaration) && declaration.Declaration is { Type.IsVar: true, Variables: var variables }
                && finding.Model.GetDeclaredSymbol(variables[0]) is { } local && !finding.UsesOf(local).Any())
            {
                yield return new Proposal(Title, () => finding.Root.ReplaceNode(
                    declaration, AddUsing.With(declaration.ReplaceNode(call, Await(call, call.Parent)), isAsync: true)));
            }
        }
    }

    /// <summary>The awaited expression, with the parentheses that its operand and a use of its result need.</summary>
    internal static ExpressionSyntax Await(ExpressionSyntax expression, SyntaxNode? parent)
    {
        var awaited = SyntaxFactory.AwaitExpression(
            SyntaxFactory.Token(SyntaxKind.AwaitKeyword).WithTrailingTrivia(SyntaxFactory.Space),
            IsPrimary(expression)
                ? expression.WithoutTrivia()
                : SyntaxFactory.ParenthesizedExpression(expression.WithoutTrivia()));
        return parent is MemberAccessExpressionSyntax or ElementAccessExpressionSyntax or ConditionalAccessExpressionSyntax
            ? SyntaxFactory.ParenthesizedExpression(awaited).WithTriviaFrom(expression)
            : awaited.WithTriviaFrom(expression);
    }

    private static bool IsPrimary(ExpressionSyntax expression) => expression
        is InvocationExpressionSyntax or MemberAccessExpressionSyntax or ElementAccessExpressionSyntax or SimpleNameSyntax
        or ParenthesizedExpressionSyntax or ObjectCreationExpressionSyntax;

    // The statement that drops the result of a call.
    private static ExpressionStatementSyntax? StatementOf(InvocationExpressionSyntax call) => call.Parent switch
    {
        ExpressionStatementSyntax statement => statement,
        AssignmentExpressionSyntax
        {
            Left: IdentifierNameSyntax { Identifier.Text: "_" },
            Parent: ExpressionStatementSyntax statement,
        } => statement,
        _ => null,
    };

    private static bool IsRent(InvocationExpressionSyntax call) =>
        call.Expression is MemberAccessExpressionSyntax { Name.Identifier.Text: "RentAsync" };

    private static LocalDeclarationStatementSyntax LeaseOf(ExpressionSyntax call, string name) =>
        (LocalDeclarationStatementSyntax)SyntaxFactory.ParseStatement($"await using var {name} = await {call.WithoutTrivia()};");

    /// <summary>
    /// Task, Task of T, ValueTask and ValueTask of T, without parameters that an asynchronous method cannot have, and without
    /// values that have no type of their own to await.
    /// </summary>
    private static bool ReturnsATask(MethodDeclarationSyntax method, Finding finding) =>
        finding.Model.GetTypeInfo(method.ReturnType).Type is INamedTypeSymbol { Name: "Task" or "ValueTask" } type
        && string.Equals(type.ContainingNamespace.ToDisplayString(), "System.Threading.Tasks", StringComparison.Ordinal)
        && !method.ParameterList.Parameters.Any(parameter => parameter.Modifiers.Any(modifier =>
            modifier.IsKind(SyntaxKind.RefKeyword) || modifier.IsKind(SyntaxKind.OutKeyword)
                || modifier.IsKind(SyntaxKind.InKeyword))
            || finding.Model.GetDeclaredSymbol(parameter) is { Type.IsRefLikeType: true })
        && ReturnsOf(method).All(statement => HasType(statement.Expression!) && Finding.AllowsAwait(statement));

    private static bool HasType(ExpressionSyntax value) => value switch
    {
        ParenthesizedExpressionSyntax parenthesized => HasType(parenthesized.Expression),
        PostfixUnaryExpressionSyntax suppressed => HasType(suppressed.Operand),
        _ => value is not (LiteralExpressionSyntax or ImplicitObjectCreationExpressionSyntax),
    };

    private static List<ReturnStatementSyntax> ReturnsOf(MethodDeclarationSyntax method) => method.Body!
        .DescendantNodes(node => node is not AnonymousFunctionExpressionSyntax and not LocalFunctionStatementSyntax)
        .OfType<ReturnStatementSyntax>().Where(statement => statement.Expression is not null).ToList();

    private static MethodDeclarationSyntax WithAwaits(MethodDeclarationSyntax method)
    {
        var hasResult = method.ReturnType.DescendantNodesAndSelf().OfType<GenericNameSyntax>().Any();
        var returns = ReturnsOf(method);
        var last = method.Body!.Statements.LastOrDefault();
        var changed = method.ReplaceNodes(returns, (original, _) => Awaited(original, hasResult, isLast: original == last));
        var keyword = SyntaxFactory.Token(SyntaxKind.AsyncKeyword).WithTrailingTrivia(SyntaxFactory.Space);
        return changed.Modifiers.Count == 0
            ? changed.WithoutLeadingTrivia().WithModifiers(SyntaxFactory.TokenList(keyword))
                .WithLeadingTrivia(method.GetLeadingTrivia())
            : changed.AddModifiers(keyword);
    }

    private static StatementSyntax Awaited(ReturnStatementSyntax statement, bool hasResult, bool isLast)
    {
        var expression = statement.Expression!;
        if (hasResult)
        {
            return statement.WithExpression(Await(expression, statement));
        }

        var awaited = SyntaxFactory.ExpressionStatement(Await(expression, statement).WithoutTrivia());
        return isLast
            ? awaited.WithTriviaFrom(statement)
            : SyntaxFactory.Block(awaited, SyntaxFactory.ReturnStatement()).WithTriviaFrom(statement)
                .WithAdditionalAnnotations(Formatter.Annotation);
    }
}
