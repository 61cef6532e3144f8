using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Poolhouse.Analyzers;

/// <summary>Finds misuse of the pools of Poolhouse and of .NET.</summary>
// One analyzer for all rules, so that a body is bound and turned into a graph once. Bodies whose text contains none of the names
// that rent or return are skipped before anything is bound: nearly all of them.
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class PoolhouseAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics => Rules.All;

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(Start);
    }

    private static void Start(CompilationStartAnalysisContext context)
    {
        var apis = new PoolApis(context.Compilation, context.Options.AnalyzerConfigOptionsProvider);
        if (!apis.Any)
        {
            return;
        }

        var names = new NameFilter();
        context.RegisterCodeBlockAction(block =>
        {
            if (IsWorthBinding(block, apis, names))
            {
                try
                {
                    Body.Check(block, apis);
                }
                catch (InsufficientExecutionStackException)
                {
                    // An expression so deeply nested that the compiler itself barely handles it: nothing is reported about it.
                }
            }
        });
    }

    private static bool IsWorthBinding(CodeBlockAnalysisContext block, PoolApis apis, NameFilter names) =>
        names.MayHoldItems(block.CodeBlock, apis.OptionsOf(block.CodeBlock.SyntaxTree))
        || (apis.PolicyOf(block.OwningSymbol.ContainingType) is not null && names.MayBreakPolicy(block.CodeBlock));
}
