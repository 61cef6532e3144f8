using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Checks;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers;

/// <summary>
/// Checks one body: each operation separately, then the paths through it and through each of its lambdas and local functions.
/// </summary>
internal static class Body
{
    public static void Check(CodeBlockAnalysisContext context, PoolApis apis)
    {
        var root = context.SemanticModel.GetOperation(ExecutableIn(context.CodeBlock), context.CancellationToken);
        if (root is IFieldInitializerOperation field)
        {
            PolicyHooks.CheckField(new BodyContext(context, apis, root), field);
            return;
        }

        if (root is not (IMethodBodyOperation or IConstructorBodyOperation or IBlockOperation) || root.Parent is not null)
        {
            return;
        }

        var body = new BodyContext(context, apis, root);
        var checks = OperationRule.All;
        var captured = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
        var isFlowWorthwhile = false;
        foreach (var operation in root.Descendants())
        {
            Capture(operation, context.OwningSymbol, captured);
            isFlowWorthwhile |= operation is IInvocationOperation call ? apis.MayConcern(call)
                : operation is IPropertyReferenceOperation property && apis.IsLease(property.Instance?.Type);
            foreach (var check in checks)
            {
                check.Check(body, operation);
            }
        }

        if (isFlowWorthwhile)
        {
            var graph = GraphOf(root, context.CancellationToken);
            CheckFlow(body, graph, context.OwningSymbol as IMethodSymbol, captured);
        }
    }

    private static SyntaxNode ExecutableIn(SyntaxNode declaration) => declaration switch
    {
        VariableDeclaratorSyntax { Initializer: { } value } => value,
        BaseFieldDeclarationSyntax { Declaration.Variables: { Count: 1 } variables } when variables[0].Initializer is { } value =>
            value,
        _ => declaration,
    };

    private static ControlFlowGraph GraphOf(IOperation root, CancellationToken cancellation) => root switch
    {
        IMethodBodyOperation method => ControlFlowGraph.Create(method, cancellation),
        IConstructorBodyOperation constructor => ControlFlowGraph.Create(constructor, cancellation),
        _ => ControlFlowGraph.Create((IBlockOperation)root, cancellation),
    };

    private static void CheckFlow(BodyContext body, ControlFlowGraph graph, IMethodSymbol? method, HashSet<ISymbol> captured)
    {
        var variables = new Variables(graph, body.Apis, captured);
        if (variables.Items.Count > 0)
        {
            new FlowAnalysis(body, graph, variables, method, FlowRules()).Run();
        }

        foreach (var function in graph.LocalFunctions)
        {
            CheckFlow(body, graph.GetLocalFunctionControlFlowGraph(function, body.Cancellation), function, captured);
        }

        foreach (var function in graph.Blocks.SelectMany(Variables.OperationsOf).OfType<IFlowAnonymousFunctionOperation>())
        {
            CheckFlow(body, graph.GetAnonymousFunctionControlFlowGraph(function, body.Cancellation), function.Symbol, captured);
        }
    }

    private static ImmutableArray<FlowRule> FlowRules() => ImmutableArray.Create<FlowRule>(
        new NeverEnded(), new UsedAfterEnd(), new EndedTwice(), new ItemEscapes(), new ReturnedUnderLease(), new WrongPool(),
        new NestedRent(), new NotReturnedOnException(), new NotReturnedOnPath(), new PendingUses());

    // A local or parameter that is used in another function than the one that declares it. A parameter of a primary constructor
    // is a field in every other member.
    private static void Capture(IOperation operation, ISymbol owner, HashSet<ISymbol> captured)
    {
        var symbol = operation switch
        {
            ILocalReferenceOperation local => (ISymbol)local.Local,
            IParameterReferenceOperation parameter => parameter.Parameter,
            _ => null,
        };
        if (symbol is null)
        {
            return;
        }

        for (var outer = operation.Parent; outer is not null; outer = outer.Parent)
        {
            var function = outer switch
            {
                IAnonymousFunctionOperation lambda => lambda.Symbol,
                ILocalFunctionOperation local => local.Symbol,
                _ => null,
            };
            if (function is not null)
            {
                if (!SymbolEqualityComparer.Default.Equals(symbol.ContainingSymbol, function))
                {
                    captured.Add(symbol);
                }

                return;
            }
        }

        if (symbol is IParameterSymbol { ContainingSymbol: IMethodSymbol { MethodKind: MethodKind.Constructor } constructor }
            && !SymbolEqualityComparer.Default.Equals(constructor, owner))
        {
            captured.Add(symbol);
        }
    }
}
