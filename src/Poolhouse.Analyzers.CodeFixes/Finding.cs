using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>The place where a rule was broken, and its properties for the fixes.</summary>
internal sealed class Finding(SyntaxNode root, SemanticModel model, Diagnostic diagnostic)
{
    public string Id => diagnostic.Id;

    public SyntaxNode Root => root;

    public SemanticModel Model => model;

    public SyntaxNode Node { get; } = root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true);

    /// <summary>
    /// Whether a part of the item, or a task that may use it, leaves the method: it must not end at the end of its block.
    /// </summary>
    public bool IsItemKept => diagnostic.Properties.ContainsKey("kept")
        || model.GetEnclosingSymbol(Node.SpanStart) is IMethodSymbol { IsAsync: false, ReturnType.Name: "Task" or "ValueTask" };

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

    /// <summary>The member around the finding, with its lambdas and local functions. Top-level statements form one.</summary>
    public SyntaxNode Member => Node.AncestorsAndSelf().First(
        node => node is MemberDeclarationSyntax and not GlobalStatementSyntax or CompilationUnitSyntax);

    /// <summary>Whether an await may be added at the place of the finding.</summary>
    public bool CanAwait => IsAsync && AllowsAwait(Node) && !IsAmongSpans;

    /// <summary>Whether the place may have an await once its function is asynchronous.</summary>
    public static bool AllowsAwait(SyntaxNode node) => !node.AncestorsAndSelf().TakeWhile(outer => !IsFunction(outer))
        .Any(outer => outer is LockStatementSyntax or UnsafeStatementSyntax);

    public static SyntaxNode? FunctionOf(SyntaxNode node) => node.AncestorsAndSelf().FirstOrDefault(IsFunction);

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

    /// <summary>Where the member uses a local or parameter.</summary>
    public IEnumerable<IdentifierNameSyntax> UsesOf(ISymbol variable) => Member.DescendantNodes().OfType<IdentifierNameSyntax>()
        .Where(name => string.Equals(name.Identifier.ValueText, variable.Name, StringComparison.Ordinal)
            && SymbolEqualityComparer.Default.Equals(SymbolOf(name), variable));

    /// <summary>Whether a local or parameter is assigned again, or passed by reference.</summary>
    public bool IsAssigned(ISymbol variable) => UsesOf(variable).Any(IsTarget);

    /// <summary>Whether the name is the target of an assignment, or passed by reference.</summary>
    public static bool IsTarget(ExpressionSyntax name) => name.Parent switch
    {
        ParenthesizedExpressionSyntax parenthesized => IsTarget(parenthesized),
        PostfixUnaryExpressionSyntax postfix =>
            !postfix.IsKind(SyntaxKind.SuppressNullableWarningExpression) || IsTarget(postfix),
        PrefixUnaryExpressionSyntax prefix => prefix.Kind() is SyntaxKind.PreIncrementExpression
            or SyntaxKind.PreDecrementExpression or SyntaxKind.AddressOfExpression,
        ArgumentSyntax { Parent: TupleExpressionSyntax tuple } => IsTarget(tuple),
        ArgumentSyntax argument => argument.RefKindKeyword.Kind() is SyntaxKind.RefKeyword or SyntaxKind.OutKeyword,
        AssignmentExpressionSyntax assignment => assignment.Left == name,
        ForEachVariableStatementSyntax loop => loop.Variable == name,
        RefExpressionSyntax => true,
        _ => false,
    };

    /// <summary>Whether the nodes use a local, a local function or a label that is declared in the span.</summary>
    public bool DependOn(IEnumerable<SyntaxNode> nodes, TextSpan span) =>
        nodes.SelectMany(node => node.DescendantNodes()).OfType<SimpleNameSyntax>().Select(SymbolOf).OfType<ISymbol>()
            .SelectMany(symbol => symbol.DeclaringSyntaxReferences)
            .Any(declaration => declaration.SyntaxTree == root.SyntaxTree && span.Contains(declaration.Span));

    /// <summary>
    /// The name, or the name with 2, 3 and so on if the member already uses it for anything. Skips free names that other fixes of
    /// the member use.
    /// </summary>
    public string FreeName(string name, int skipped = 0)
    {
        var used = new HashSet<string>(
            Member.DescendantTokens().Where(token => token.IsKind(SyntaxKind.IdentifierToken)).Select(token => token.ValueText),
            StringComparer.Ordinal);
        var free = name;
        for (var i = 2; used.Contains(free) || skipped-- > 0; i++)
        {
            free = name + i;
        }

        return free;
    }

    /// <summary>The statements that return an item explicitly: <c>pool.Return(item)</c>.</summary>
    public IEnumerable<ExpressionStatementSyntax> ReturnsOf(ISymbol item, SyntaxNode within) =>
        from statement in within.DescendantNodesAndSelf(
            node => node is not AnonymousFunctionExpressionSyntax and not LocalFunctionStatementSyntax)
            .OfType<ExpressionStatementSyntax>()
        where statement.Expression is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "Return" } } call
            && call.ArgumentList.Arguments.FirstOrDefault() is { } argument
            && SymbolEqualityComparer.Default.Equals(SymbolOf(argument.Expression), item)
        select statement;

    // Spans and references that were declared before, and the enumerators of loops over them, do not survive an await.
    private bool IsAmongSpans =>
        model.LookupSymbols(Node.SpanStart).OfType<ILocalSymbol>().Any(local => (local.IsRef || local.Type.IsRefLikeType)
            && local.DeclaringSyntaxReferences.All(declaration => declaration.Span.Start < Node.SpanStart))
        || Node.Ancestors().TakeWhile(outer => !IsFunction(outer)).OfType<CommonForEachStatementSyntax>()
            .Any(loop => model.GetForEachStatementInfo(loop).GetEnumeratorMethod?.ReturnType.IsRefLikeType == true);

    private static bool IsFunction(SyntaxNode node) => node
        is BaseMethodDeclarationSyntax or LocalFunctionStatementSyntax or AnonymousFunctionExpressionSyntax
        or AccessorDeclarationSyntax or GlobalStatementSyntax;
}
