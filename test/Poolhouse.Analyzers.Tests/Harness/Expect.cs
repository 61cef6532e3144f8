using Microsoft.CodeAnalysis;
using Poolhouse.Analyzers.Tests.Seeded;

namespace Poolhouse.Analyzers.Tests.Harness;

/// <summary>The assertions of the tests of rules.</summary>
// Not Microsoft.CodeAnalysis.CSharp.Analyzer.Testing (1.1.4, tried with a test of PH1003): the test passed with the references of
// the runtime, without a download, but the package would replace only MarkedSource and Analysis, some 70 lines, and bring NuGet
// and a composition container with it.
internal static class Expect
{
    /// <summary>
    /// The analyzer finds the rule at each mark of the source and nowhere else, and gives no other warning. The source is the
    /// body of a class when it declares no type.
    /// </summary>
    public static async Task FoundAsync(string id, string source, string? config = null)
    {
        var marked = MarkedSource.Parse(Whole(source));
        var compilation = Compiler.Compile(marked.Text);
        var errors = Compiler.ErrorsOf(compilation);
        Assert.True(errors.Count == 0, $"The tested source does not compile: {string.Join(Environment.NewLine, errors)}");

        var findings =
            (await Analysis.FindAsync(compilation, config)).Where(finding => finding.Severity == DiagnosticSeverity.Warning
            || string.Equals(finding.Id, id, StringComparison.Ordinal)).ToList();
        Assert.Equal(
            marked.Spans.Select(span => $"{id} at '{marked.Text.Substring(span.Start, span.Length)}' ({span.Start})"),
            findings.Select(
                finding =>
                    $"{finding.Id} at '{marked.Text.Substring(finding.Location.SourceSpan.Start, finding.Location.SourceSpan.Length)}' ({finding.Location.SourceSpan.Start})"));
    }

    /// <summary>The analyzer gives no warning.</summary>
    public static Task NothingAsync(string source, string? config = null)
    {
        Assert.DoesNotContain("[|", source, StringComparison.Ordinal);
        return FoundAsync("nothing", source, config);
    }

    /// <summary>The source as a whole file.</summary>
    public static string Whole(string source) =>
        source.Contains("class ", StringComparison.Ordinal) || source.Contains("struct ", StringComparison.Ordinal) ? source : $$"""
            internal sealed class Tested
            {
                private static readonly ResourcePool<Session> sessions = null!;
                private static readonly ObjectPool<StringBuilder> builders = null!;
                private static readonly TieredObjectPool<StringBuilder> tiered = null!;
                private static readonly ArrayPool<byte> arrays = ArrayPool<byte>.Create();
                private static readonly TieredArrayPool<byte> buffers = null!;
                private static readonly MemoryPool<byte> memory = null!;
                private static readonly StreamPool streams = null!;
                private object? field;

            {{source}}
                private static void Consume(object? value) => Console.WriteLine(value);
            }

            internal sealed class Session : IDisposable
            {
                public string Name { get; set; } = "";
                public void Use() => Console.WriteLine(Name);
                public Task UseAsync() => Task.CompletedTask;
                public Task<int> CountAsync() => Task.FromResult(Name.Length);
                public void Dispose() => Console.WriteLine();
            }
            """;
}
