using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Microsoft.CodeAnalysis.Text;

namespace Poolhouse.Analyzers;

/// <summary>The body that is checked, which also receives the findings.</summary>
internal sealed class BodyContext
{
    private readonly CodeBlockAnalysisContext _context;
    private readonly HashSet<(string Id, TextSpan Span)> _reported = new();

    public BodyContext(CodeBlockAnalysisContext context, PoolApis apis, IOperation root)
    {
        _context = context;
        Apis = apis;
        Root = root;
    }

    public PoolApis Apis { get; }

    /// <summary>The body with its lambdas and local functions.</summary>
    public IOperation Root { get; }

    public ISymbol Owner => _context.OwningSymbol;

    /// <summary>The resource or nested policy that the body belongs to.</summary>
    public INamedTypeSymbol? Policy => Apis.PolicyOf(Owner.ContainingType);

    /// <summary>How many statements the body has, not counting those inside others.</summary>
    public int StatementCount => Root.ChildOperations.OfType<IBlockOperation>().Sum(block => block.Operations.Length);

    public CancellationToken Cancellation => _context.CancellationToken;

    /// <summary>The method, lambda or local function that contains the operation.</summary>
    public IMethodSymbol? FunctionAround(IOperation operation)
    {
        for (var outer = operation.Parent; outer is not null; outer = outer.Parent)
        {
            switch (outer)
            {
                case IAnonymousFunctionOperation lambda:
                    return lambda.Symbol;
                case ILocalFunctionOperation local:
                    return local.Symbol;
            }
        }

        return Owner as IMethodSymbol;
    }

    /// <summary>Reports a finding, once for each place: a finally region may be seen along several paths.</summary>
    public void Report(DiagnosticDescriptor rule, SyntaxNode place, params object[] arguments) =>
        Report(rule, place, properties: null, arguments);

    /// <summary>Reports a finding of another severity than the others of its rule.</summary>
    public void Report(DiagnosticDescriptor rule, SyntaxNode place, DiagnosticSeverity severity, params object[] arguments)
    {
        if (_reported.Add((rule.Id, place.Span)))
        {
            _context.ReportDiagnostic(Diagnostic.Create(
                rule, place.GetLocation(), severity, additionalLocations: null, properties: null, arguments));
        }
    }

    /// <summary>Reports a finding with properties for its fixes.</summary>
    public void Report(
        DiagnosticDescriptor rule, SyntaxNode place, ImmutableDictionary<string, string?>? properties, params object[] arguments)
    {
        if (_reported.Add((rule.Id, place.Span)))
        {
            _context.ReportDiagnostic(Diagnostic.Create(rule, place.GetLocation(), properties, arguments));
        }
    }
}
