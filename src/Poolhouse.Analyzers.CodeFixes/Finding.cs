using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>The place where a rule was broken, and its properties for the fixes.</summary>
internal sealed class Finding(SyntaxNode root, SemanticModel model, Diagnostic diagnostic)
{
    public string Id => diagnostic.Id;

    public SyntaxNode Root => root;

    public SemanticModel Model => model;

    public SyntaxNode Node { get; } = root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true);

    /// <summary>The nearest method, local function, accessor or lambda.</summary>
    public SyntaxNode? Function => FunctionOf(Node);

    public bool IsAsync => Function switch
    {
        MethodDeclarationSyntax method => method.Modifiers.Any(SyntaxKind.AsyncKeyword),
        LocalFunctionStatementSyntax function => function.Modifiers.Any(SyntaxKind.AsyncKeyword),
        AnonymousFunctionExpressionSyntax function => function.Modifiers.Any(SyntaxKind.AsyncKeyword),
        GlobalStatementSyntax => true,
        _ => false,
    };

    public static SyntaxNode? FunctionOf(SyntaxNode node) => node.AncestorsAndSelf().FirstOrDefault(ancestor => ancestor
        is BaseMethodDeclarationSyntax or LocalFunctionStatementSyntax or AnonymousFunctionExpressionSyntax
            or AccessorDeclarationSyntax
        or GlobalStatementSyntax);

    /// <summary>The declaration of one local whose initial value the finding is in, or null.</summary>
    public LocalDeclarationStatementSyntax? Declaration =>
        Node.AncestorsAndSelf().TakeWhile(node => node is not BlockSyntax).OfType<LocalDeclarationStatementSyntax>()
            .FirstOrDefault()
            is { Declaration.Variables.Count: 1 } declaration ? declaration : null;

    public InvocationExpressionSyntax? Invocation => Node.AncestorsAndSelf().TakeWhile(node => node is not StatementSyntax)
        .OfType<InvocationExpressionSyntax>().FirstOrDefault()
        ?? (Node as ExpressionStatementSyntax)?.Expression as InvocationExpressionSyntax;

    public ISymbol? SymbolOf(ExpressionSyntax expression) => model.GetSymbolInfo(expression).Symbol;

    public bool Implements(ITypeSymbol? type, string fullName) => type is not null
        && model.Compilation.GetTypeByMetadataName(fullName) is { } wanted
        && (SymbolEqualityComparer.Default.Equals(type, wanted)
        || type.AllInterfaces.Contains(wanted, SymbolEqualityComparer.Default));

    /// <summary>The method that a call has after a change in it, or null if the changed call does not compile.</summary>
    public IMethodSymbol? TargetOf(InvocationExpressionSyntax changed, int position) =>
        model.GetSpeculativeSymbolInfo(position, changed, SpeculativeBindingOption.BindAsExpression).Symbol as IMethodSymbol;

    /// <summary>The statements that return an item explicitly: <c>pool.Return(item)</c>.</summary>
    public IEnumerable<ExpressionStatementSyntax> ReturnsOf(ISymbol item, SyntaxNode within) =>
        from statement in within.DescendantNodesAndSelf(
            node => node is not AnonymousFunctionExpressionSyntax and not LocalFunctionStatementSyntax)
            .OfType<ExpressionStatementSyntax>()
        where statement.Expression is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "Return" } } call
            && call.ArgumentList.Arguments.FirstOrDefault() is { } argument
            && SymbolEqualityComparer.Default.Equals(SymbolOf(argument.Expression), item)
        select statement;
}
