using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Poolhouse.Analyzers.Tests.Harness;

/// <summary>Runs the analyzer over a compilation.</summary>
internal static class Analysis
{
    /// <summary>
    /// The findings of the analyzer, in the order of their places. A crash of the analyzer is an exception here.
    /// </summary>
    public static async Task<ImmutableArray<Diagnostic>> FindAsync(Compilation compilation, string? config = null)
    {
        Exception? crash = null;
        var options = new CompilationWithAnalyzersOptions(
            new AnalyzerOptions([], new ConfigOptions(config)),
            (exception, _, _) => crash = exception,
            concurrentAnalysis: false,
            logAnalyzerExecutionTime: false);
        var findings = await compilation.WithAnalyzers([new PoolhouseAnalyzer()], options)
            .GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
        Assert.True(crash is null, $"AD0001: the analyzer crashed: {crash}");
        return [.. findings.OrderBy(finding => finding.Location.SourceSpan.Start)
            .ThenBy(finding => finding.Id, StringComparer.Ordinal)];
    }
}
