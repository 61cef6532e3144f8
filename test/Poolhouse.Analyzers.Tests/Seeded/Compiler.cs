using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Poolhouse.Analyzers.Tests.Seeded;

/// <summary>Compiles a source in memory, against what these tests themselves run on.</summary>
internal static class Compiler
{
    /// <summary>The name of the compiled source.</summary>
    public const string FileName = "Seeded.cs";

    private const string GlobalUsings = """
        global using System;
        global using System.Buffers;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Text;
        global using System.Threading;
        global using System.Threading.Tasks;
        global using Microsoft.Extensions.ObjectPool;
        global using Poolhouse;
        """;

    private static readonly CSharpParseOptions _syntax = new(LanguageVersion.Latest);

    private static readonly CSharpCompilationOptions _options = new(
        OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable);

    public static ImmutableArray<MetadataReference> References { get; } =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    // The references are bound once: compilations that are derived from one another share them.
    private static readonly CSharpCompilation _empty =
        CSharpCompilation.Create("Seeded", [Parse(GlobalUsings)], References, _options);

    public static CSharpCompilation Compile(string source) => _empty.AddSyntaxTrees(Parse(source));

    /// <summary>What the compiler has against the source.</summary>
    public static IReadOnlyList<Diagnostic> ErrorsOf(Compilation compilation) =>
        [.. compilation.GetDiagnostics(TestContext.Current.CancellationToken)
            .Where(found => found.Severity == DiagnosticSeverity.Error)];

    /// <summary>The same source as a document, for fixes.</summary>
    public static Document DocumentIn(AdhocWorkspace workspace, string source)
    {
        var project = workspace.CurrentSolution
            .AddProject("Seeded", "Seeded", LanguageNames.CSharp)
            .WithMetadataReferences(References).WithParseOptions(_syntax).WithCompilationOptions(_options)
            .AddDocument("Usings.cs", GlobalUsings).Project;
        return project.AddDocument(FileName, source, filePath: FileName);
    }

    private static SyntaxTree Parse(string source) => CSharpSyntaxTree.ParseText(source, _syntax, path: FileName);
}
