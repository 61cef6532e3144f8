using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection.PortableExecutable;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>
/// What a reader needs besides a block of code to paste it into an empty project: site/usings.json, which the site shows with it.
/// </summary>
public sealed partial class PastedSnippets
{
    private const string AcceptVariable = "POOLHOUSE_ACCEPT_USINGS";

    private static readonly JsonSerializerOptions _json = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    private static readonly ConcurrentDictionary<string, PortableExecutableReference> _references = new(StringComparer.Ordinal);

    private const string VisibleToPasted =
        "[assembly: System.Runtime.CompilerServices.InternalsVisibleTo(\"Pasted\")]\n";

    private static readonly CSharpParseOptions _options = new(LanguageVersion.CSharp14);

    private static readonly SymbolDisplayFormat _full = SymbolDisplayFormat.FullyQualifiedFormat.AddMiscellaneousOptions(
        SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    private static readonly SymbolDisplayFormat _signature = _full
        .WithMemberOptions(SymbolDisplayMemberOptions.IncludeType | SymbolDisplayMemberOptions.IncludeParameters)
        .WithParameterOptions(SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeName)
        .AddGenericsOptions(SymbolDisplayGenericsOptions.IncludeTypeParameters);

    private static readonly Lazy<IReadOnlyList<Pasted>> _all = new(() =>
        [.. Directory.GetDirectories(RepositoryFiles.PathOf("samples")).Order(StringComparer.Ordinal).SelectMany(SnippetsOf)]);

    [Fact]
    public void The_site_shows_the_usings_of_each_block_and_the_names_that_are_yours()
    {
        var file = RepositoryFiles.PathOf("site", "usings.json");
        var needs = _all.Value.OrderBy(each => each.Name, StringComparer.Ordinal)
            .ToDictionary(each => each.Name, each => new { each.Usings, each.Yours }, StringComparer.Ordinal);
        var text = JsonSerializer.Serialize(needs, _json) + "\n";
        if (string.Equals(Environment.GetEnvironmentVariable(AcceptVariable), "1", StringComparison.Ordinal))
        {
            File.WriteAllText(file, text);
        }

        Assert.True(
            string.Equals(File.ReadAllText(file).ReplaceLineEndings("\n"), text, StringComparison.Ordinal),
            $"site/usings.json differs. Run the test once with {AcceptVariable}=1 and commit it.");
    }

    [Fact]
    public void A_block_without_names_of_its_own_compiles_as_pasted_in_an_empty_project()
    {
        var complete = _all.Value.Where(each => each.Yours.Count == 0 && each.IsStatements).ToList();

        Assert.True(complete.Count >= 25, $"Only {complete.Count} blocks are complete.");
        Problems.AssertNone(
            from each in complete
            from error in ErrorsIn(each.Program, each.EmptyProject)
            select $"{each.Name}: {error}");
    }

    // The names stand for the reader's own code, which is here that of the sample: nothing else is missing.
    [Fact]
    public void Any_other_block_compiles_once_the_names_that_are_yours_exist()
    {
        var others = _all.Value.Where(each => each.Yours.Count > 0 || !each.IsStatements).ToList();

        Problems.AssertNone(
            from each in others
            from error in ErrorsIn(each.Completed, each.ProjectWithYours)
            select $"{each.Name}: {error}\n{each.Completed}");
    }

    private static IEnumerable<Pasted> SnippetsOf(string folder)
    {
        var files = RepositoryFiles.Files("*.cs", "samples", Path.GetFileName(folder)).Concat(LinkedFilesOf(folder)).ToList();
        var place = $"samples/{Path.GetFileName(folder)}/";
        var snippets = Snippet.All.Where(each => each.Place.StartsWith(place, StringComparison.Ordinal)).ToList();
        if (snippets.Count == 0)
        {
            return [];
        }

        var isWeb = Directory.GetFiles(folder, "*.csproj").Any(
            project => File.ReadAllText(project).Contains("Microsoft.NET.Sdk.Web", StringComparison.Ordinal));
        string[] implicitUsings = isWeb ? [.. _console, .. _web] : _console;
        var references = ReferencesOf(Path.GetFileName(folder));
        var sources = files.ToDictionary(file => file, File.ReadAllText, StringComparer.Ordinal);
        var compilation = Compile([UsingsText(implicitUsings, "global ") + VisibleToPasted, .. sources.Values], references)
            .WithAssemblyName(Path.GetFileName(folder));
        var empty = Compile([], references);
        var withYours = empty.AddReferences(compilation.ToMetadataReference());
        var trees = compilation.SyntaxTrees.Skip(1).Zip(sources.Keys)
            .ToDictionary(pair => pair.Second, pair => pair.First, StringComparer.Ordinal);
        return snippets.Select(snippet =>
        {
            var parts = snippet.Place.TrimEnd(')').Split('(');
            var tree = trees[RepositoryFiles.PathOf(parts[0].Split('/'))];
            return PastedOf(snippet, tree, int.Parse(parts[1], CultureInfo.InvariantCulture), compilation, implicitUsings) with
            {
                EmptyProject = empty,
                ProjectWithYours = withYours,
            };
        });
    }

    private static Pasted PastedOf(
        Snippet snippet, SyntaxTree tree, int line, CSharpCompilation compilation, IReadOnlyList<string> implicitUsings)
    {
        var text = tree.GetText();
        var last = line;
        while (!text.Lines[last].ToString().Trim().StartsWith("// end snippet", StringComparison.Ordinal))
        {
            last++;
        }

        var span = TextSpan.FromBounds(text.Lines[line].Start, text.Lines[last].Start);
        var model = compilation.GetSemanticModel(tree);
        var usings = new SortedSet<string>(StringComparer.Ordinal);
        var yours = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var namespaces = new SortedSet<string>(StringComparer.Ordinal);
        var root = tree.GetRoot();
        foreach (var node in root.DescendantNodes().Where(node => span.Contains(node.Span)))
        {
            if (node is SimpleNameSyntax name && node.FirstAncestorOrSelf<UsingDirectiveSyntax>() is null)
            {
                Note(name, model.GetSymbolInfo(name).Symbol);
            }
            else if (node is CollectionElementSyntax or QueryClauseSyntax)
            {
                Note(node, model.GetSymbolInfo(node).Symbol);
            }
        }

        // A snippet of statements is a program; one of members needs a class around it.
        var isStatements = root.DescendantNodes().First(node => span.Contains(node.Span)) is StatementSyntax
            or GlobalStatementSyntax or UsingDirectiveSyntax or ExpressionSyntax;
        var own = Directive().IsMatch(snippet.Code) ? [] : usings.Except(implicitUsings).ToList();
        var completed = Complete(snippet.Code, string.Concat(yours.Values));
        var program = UsingsText(implicitUsings, "global ") + UsingsText(own, "");
        return new Pasted(
            snippet.Name, own, [.. yours.Keys], isStatements, program + snippet.Code,
            program + UsingsText(namespaces, "") + completed);

        void Note(SyntaxNode node, ISymbol? symbol)
        {
            switch (symbol)
            {
                case IMethodSymbol { MethodKind: MethodKind.Constructor, ContainingType: var type }:
                    NoteType(type);
                    break;
                case IMethodSymbol { ReducedFrom: { } extension }:
                    NoteType(extension.ContainingType);
                    break;
                case INamedTypeSymbol type:
                    NoteType(type);
                    break;
                case ILocalSymbol or IParameterSymbol or IRangeVariableSymbol when IsOfSample(symbol) && !IsInside(symbol)
                    && symbol.Name is not "args" && node.Parent is not NameColonSyntax:
                    yours[symbol.Name] = DeclarationOf(symbol);
                    break;
                case IFieldSymbol or IPropertySymbol or IMethodSymbol or IEventSymbol when IsOfSample(symbol) && !IsInside(symbol)
                    && (node.Parent is not MemberAccessExpressionSyntax access || access.Expression == node)
                    && node.Parent is not AssignmentExpressionSyntax { Parent: InitializerExpressionSyntax }:
                    yours[symbol.Name] = DeclarationOf(symbol);
                    break;
            }
        }

        void NoteType(INamedTypeSymbol type)
        {
            if (type.IsAnonymousType || type.IsTupleType || IsInside(type))
            {
                return;
            }

            if (IsOfSample(type))
            {
                yours.TryAdd(type.Name, "");
                if (type.ContainingNamespace is { IsGlobalNamespace: false } space)
                {
                    namespaces.Add(space.ToDisplayString());
                }
            }
            else if (type.ContainingNamespace is { IsGlobalNamespace: false } used)
            {
                usings.Add(used.ToDisplayString());
            }
        }

        bool IsOfSample(ISymbol symbol) => SymbolEqualityComparer.Default.Equals(symbol.ContainingAssembly, compilation.Assembly);

        bool IsInside(ISymbol symbol) =>
            symbol.DeclaringSyntaxReferences.Any(each => each.SyntaxTree == tree && span.Contains(each.Span))
            || (symbol.DeclaringSyntaxReferences.IsEmpty && IsOfSample(symbol));
    }

    /// <summary>The code with declarations before it: as a program, in a method if it returns a value, or in a class.</summary>
    private static string Complete(string code, string declarations)
    {
        var root = CSharpSyntaxTree.ParseText(code, _options).GetCompilationUnitRoot();
        var statements = root.Members.OfType<GlobalStatementSyntax>().ToList();
        var methods = statements.Select(each => each.Statement).OfType<LocalFunctionStatementSyntax>().ToList();
        var returns = statements.SelectMany(each => each.DescendantNodes(node => node is not AnonymousFunctionExpressionSyntax
            and not LocalFunctionStatementSyntax)).OfType<ReturnStatementSyntax>().Any(each => each.Expression is not null);
        if (returns)
        {
            return $"static class Yours\n{{\nstatic async Task<object?> RunAsync()\n{{\n{declarations}{code}\n}}\n}}\n";
        }

        var isMembers = methods.Count > 0 && methods.Count == statements.Count;
        var modifiers = methods.Exists(each => each.Modifiers.Any(SyntaxKind.StaticKeyword)) ? "static " : "";
        return isMembers ? $"{modifiers}class Yours\n{{\n{declarations}{code}\n}}\n"
            : statements.Count > 0 ? $"{declarations}{code}\n"
            : code;
    }

    private static string DeclarationOf(ISymbol symbol) => symbol switch
    {
        ILocalSymbol local => $"{local.Type.ToDisplayString(_full)} {local.Name} = default!;\n",
        IParameterSymbol parameter => $"{parameter.Type.ToDisplayString(_full)} {parameter.Name} = default!;\n",
        IFieldSymbol field => $"{field.Type.ToDisplayString(_full)} {field.Name} = default!;\n",
        IPropertySymbol property => $"{property.Type.ToDisplayString(_full)} {property.Name} = default!;\n",
        IMethodSymbol method => $"static {method.ToDisplayString(_signature)} => throw null!;\n",
        _ => "",
    };

    private static CSharpCompilation Compile(IEnumerable<string> sources, IEnumerable<MetadataReference> references) =>
        CSharpCompilation.Create(
            "Pasted", sources.Select(source => CSharpSyntaxTree.ParseText(source, _options)), references,
            new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable));

    private static IEnumerable<Diagnostic> ErrorsIn(string code, CSharpCompilation project)
    {
        var tree = CSharpSyntaxTree.ParseText(code, _options);
        var isProgram = tree.GetCompilationUnitRoot().Members.Any(SyntaxKind.GlobalStatement);
        var kind = isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary;
        return project.WithOptions(project.Options.WithOutputKind(kind)).AddSyntaxTrees(tree)
            .GetDiagnostics(TestContext.Current.CancellationToken)
            .Where(each => each.Severity == DiagnosticSeverity.Error);
    }

    private static IEnumerable<string> LinkedFilesOf(string folder) =>
        from project in Directory.GetFiles(folder, "*.csproj")
        from item in XDocument.Load(project).Descendants("Compile")
        from pattern in item.Attribute("Include")!.Value.Split(';')
        let place = Path.GetFullPath(Path.Combine(folder, pattern))
        from file in Directory.GetFiles(Path.GetDirectoryName(place)!, Path.GetFileName(place))
        select file;

    // What the sample was built with, and the frameworks, which this test runs on.
    private static List<MetadataReference> ReferencesOf(string sample)
    {
        var output = Path.GetDirectoryName(RepositoryFiles.OutputOf(sample))!;
        Assert.True(Directory.Exists(output), $"samples/{sample} is not built: reference it in this project.");
        var files = Directory.GetFiles(output, "*.dll")
            .Concat(((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator))
            .Where(file => !string.Equals(Path.GetFileName(file), $"{sample}.dll", StringComparison.Ordinal))
            .DistinctBy(Path.GetFileName, StringComparer.OrdinalIgnoreCase);
        return
        [
            .. files.Where(IsManaged).Select(
                file => _references.GetOrAdd(file, static path => MetadataReference.CreateFromFile(path))),
        ];
    }

    private static bool IsManaged(string file)
    {
        using var stream = File.OpenRead(file);
        using var reader = new PEReader(stream);
        return reader.HasMetadata;
    }

    private static string UsingsText(IEnumerable<string> namespaces, string prefix) =>
        string.Concat(namespaces.Select(each => $"{prefix}using {each};\n"));

    private static readonly string[] _console =
    [
        "System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading",
        "System.Threading.Tasks",
    ];

    private static readonly string[] _web =
    [
        "System.Net.Http.Json", "Microsoft.AspNetCore.Builder", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Http",
        "Microsoft.AspNetCore.Routing", "Microsoft.Extensions.Configuration", "Microsoft.Extensions.DependencyInjection",
        "Microsoft.Extensions.Hosting", "Microsoft.Extensions.Logging",
    ];

    private sealed record Pasted(
        string Name, IReadOnlyList<string> Usings, IReadOnlyList<string> Yours, bool IsStatements, string Program,
        string Completed)
    {
        public CSharpCompilation EmptyProject { get; init; } = null!;

        public CSharpCompilation ProjectWithYours { get; init; } = null!;
    }

    [GeneratedRegex(@"\Ausing [A-Za-z.]+;", RegexOptions.None, 10_000)]
    private static partial Regex Directive();
}
