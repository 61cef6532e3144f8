// Runs the rules of Poolhouse.Analyzers over a corpus of projects and compares what they find with labels that people gave.
// Run as: eng/analyzers-corpus.sh [--cost] [NAME=FOLDER…]; the script builds what this reads.
#:project ../../src/Poolhouse.Analyzers/Poolhouse.Analyzers.csproj
#:package Microsoft.CodeAnalysis.CSharp@5.0.0
#:property ManagePackageVersionsCentrally=false
#:property PublishAot=false
#:property TreatWarningsAsErrors=false
#:property RunAnalyzers=false
#:property TieredCompilation=false
#:property ConcurrentGarbageCollection=false
using System.Collections.Immutable;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

var root = args[0];
var measuresCost = args.Contains("--cost");
var corpus = args.Skip(1).Where(argument => argument.Contains('=')).Select(argument => argument.Split('=', 2)).ToList();
var projects = corpus.SelectMany(part => Project.In(part[1]).Select(project => (Name: part[0], Project: project))).ToList();
if (corpus.Count == 0)
{
    // Not the tests: they misuse pools on purpose, in hundreds of places.
    projects =
    [
        .. new[] { "src", "samples", "bench" }.SelectMany(folder =>
            Project.In(Path.Combine(root, folder)).Select(project => (Name: $"Poolhouse, {folder}", Project: project))),
    ];
}

var compiler = new Compiler(root);
if (measuresCost)
{
    Cost.Print(projects.Select(entry => entry.Project), compiler);
    return 0;
}

var findings = new List<Finding>();
foreach (var (name, project) in projects)
{
    var compilation = compiler.Compile(project);
    foreach (var found in await compiler.AnalyzeAsync(compilation))
    {
        findings.Add(Finding.Of(found, name, corpus.FirstOrDefault(part => part[0] == name)?[1] ?? root));
    }
}

// Files that belong to several projects are counted once; several findings of a rule in one member are numbered.
var labels = Label.Read(Path.Combine(root, "eng", "corpus", "labels.txt"));
var distinct = findings.DistinctBy(found => (found.Project, found.Rule, found.File, found.Line))
    .OrderBy(found => found.ToString(), StringComparer.Ordinal).ToList();
var unlabelled = 0;
var counts = new SortedDictionary<string, Dictionary<string, (int True, int False)>>(StringComparer.Ordinal);
foreach (var found in distinct)
{
    if (found.Severity == DiagnosticSeverity.Hidden)
    {
        continue;
    }

    var label = labels.FirstOrDefault(candidate => candidate.Fits(found));
    if (label is null)
    {
        unlabelled++;
        Console.WriteLine($"unlabelled: {found}  {found.Message}");
        Console.WriteLine($"            {found.Text}");
        continue;
    }

    var row = counts.TryGetValue(found.Rule, out var known) ? known : counts[found.Rule] = new(StringComparer.Ordinal);
    var (right, wrong) = row.GetValueOrDefault(found.Project);
    row[found.Project] = label.IsTrue ? (right + 1, wrong) : (right, wrong + 1);
}

var stale = labels.Where(label => projects.Any(entry => entry.Name == label.Project) && !distinct.Exists(label.Fits)).ToList();
stale.ForEach(label => Console.WriteLine($"a label without a finding: {label.Text}"));
var table = Table.Write(counts, [.. projects.Select(entry => entry.Name).Distinct()]);
Console.WriteLine();
Console.WriteLine(table);
Console.WriteLine(
    $"{projects.Count} projects, {compiler.Files} files, {distinct.Count} findings, {unlabelled} without a label, " +
    $"{stale.Count} labels without a finding.");
if (corpus.Count == 0)
{
    Table.Put(table, Path.Combine(root, "test", "Poolhouse.Analyzers.Tests", "README.md"));
}

return unlabelled + stale.Count == 0 ? 0 : 1;

/// <summary>A folder with a project file, and what the project says about its sources.</summary>
internal sealed class Project(string file)
{
    private readonly XDocument _document = XDocument.Load(file);

    public string File => file;

    public string Name => Path.GetFileNameWithoutExtension(file);

    public string Folder => Path.GetDirectoryName(file)!;

    public bool HasImplicitUsings => Elements("ImplicitUsings").Any(element => element.Value is "enable" or "true");

    public IEnumerable<Project> References => Elements("ProjectReference")
        .Select(
            element => Path.GetFullPath(Path.Combine(Folder, ((string?)element.Attribute("Include") ?? "").Replace('\\', '/'))))
        .Where(path => path.EndsWith(".csproj", StringComparison.Ordinal) && System.IO.File.Exists(path))
        .Select(path => new Project(path));

    public static IEnumerable<Project> In(string folder) =>
        Directory.EnumerateFiles(folder, "*.csproj", SearchOption.AllDirectories).Where(IsSource).Order(StringComparer.Ordinal)
            .Select(file => new Project(file));

    public IEnumerable<string> Sources()
    {
        var others = Directory.EnumerateFiles(Folder, "*.csproj", SearchOption.AllDirectories).Where(other => other != file)
            .Select(other => Path.GetDirectoryName(other) + "/").ToList();
        var removed = Elements("Compile").Select(element => (string?)element.Attribute("Remove")).OfType<string>()
            .Select(pattern => Path.GetFullPath(Path.Combine(Folder, pattern.Replace('\\', '/').Split('*')[0]))).ToList();
        return Directory.EnumerateFiles(Folder, "*.cs", SearchOption.AllDirectories).Where(IsSource)
            .Where(path => !others.Exists(other => path.StartsWith(other, StringComparison.Ordinal))
                && !removed.Exists(prefix => path.StartsWith(prefix, StringComparison.Ordinal)))
            .Concat(
                Elements("Compile").Select(element => (string?)element.Attribute("Include")).OfType<string>()
                    .SelectMany(Included))
            .Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal);
    }

    private static bool IsSource(string path) =>
        !path.Split('/').Any(part => part is "obj" or "bin" or "artifacts" or ".git");

    private IEnumerable<string> Included(string pattern)
    {
        var path = pattern.Replace('\\', '/').Replace("$(MSBuildThisFileDirectory)", "", StringComparison.Ordinal);
        var start = Path.GetFullPath(Path.Combine(Folder, path.Split('*')[0]));
        var folder = start.EndsWith('/') ? start : Path.GetDirectoryName(start)!;
        return !path.Contains('*') ? (System.IO.File.Exists(start) ? [start] : [])
            : Directory.Exists(
                folder) ? Directory.EnumerateFiles(
                    folder, "*.cs", path.Contains("**") ? SearchOption.AllDirectories : SearchOption.TopDirectoryOnly)
                        .Where(IsSource)
            : [];
    }

    private IEnumerable<XElement> Elements(string name) =>
        _document.Descendants().Where(element => element.Name.LocalName == name);
}

/// <summary>Compiles projects without building them. What cannot be bound is left alone by the rules.</summary>
internal sealed class Compiler(string root)
{
    private static readonly string[] _implicitUsings =
        ["System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading",
            "System.Threading.Tasks"];

    private static readonly CSharpParseOptions _syntax = CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Preview)
        .WithPreprocessorSymbols(ImmutableArray.Create<string>(
    [
        "NET", "NETCOREAPP", "NET10_0", "TRACE", .. Enumerable.Range(5, 6).Select(version => $"NET{version}_0_OR_GREATER"),
        "NETCOREAPP3_1_OR_GREATER", "NETCOREAPP3_0_OR_GREATER", "NETCOREAPP2_1_OR_GREATER", "NETSTANDARD2_1_OR_GREATER",
        "NETSTANDARD2_0_OR_GREATER",
    ]));

    private readonly Dictionary<string, CSharpCompilation> _compilations = new(StringComparer.Ordinal);
    private readonly Dictionary<string, MetadataReference> _references = new(StringComparer.Ordinal);

    public int Files { get; private set; }

    public CSharpCompilation Compile(Project project)
    {
        if (_compilations.TryGetValue(project.File, out var known))
        {
            return known;
        }

        var sources = project.Sources().ToList();
        Files += sources.Count;
        var trees = sources.Select(path => CSharpSyntaxTree.ParseText(System.IO.File.ReadAllText(path), _syntax, path)).ToList();
        var isOurs = project.File.StartsWith(root + "/", StringComparison.Ordinal);
        var generated = Path.Combine(root, "artifacts", "obj", project.Name);
        var usings = isOurs && Directory.Exists(generated)
            ? Directory.EnumerateFiles(generated, "*.GlobalUsings.g.cs", SearchOption.AllDirectories).Take(1).ToList()
            : [];
        trees.AddRange(usings.Select(path => CSharpSyntaxTree.ParseText(System.IO.File.ReadAllText(path), _syntax, path)));
        if (usings.Count == 0 && (project.HasImplicitUsings || isOurs))
        {
            trees.Add(
                CSharpSyntaxTree.ParseText(
                    string.Concat(_implicitUsings.Select(name => $"global using {name};")), _syntax, "Usings.cs"));
        }

        var assemblies = Directory.EnumerateFiles(Path.GetDirectoryName(typeof(object).Assembly.Location)!, "*.dll")
            .Concat(
                Directory.EnumerateFiles(
                    Path.GetDirectoryName(typeof(object).Assembly.Location)!.Replace(
                        "Microsoft.NETCore.App", "Microsoft.AspNetCore.App"), "*.dll"))
            .Concat(OutputsOf(isOurs ? project.Name : "Poolhouse"))
            .Where(path => Path.GetFileNameWithoutExtension(path) != project.Name)
            .GroupBy(Path.GetFileName, StringComparer.Ordinal).Select(same => same.Last());
        var references = assemblies.Select(Reference).OfType<MetadataReference>().ToList();
        if (!isOurs)
        {
            references.AddRange(project.References.Select(other => Compile(other).ToMetadataReference()));
        }

        var isProgram = trees.Exists(tree => tree.GetCompilationUnitRoot().Members.OfType<GlobalStatementSyntax>().Any());
        return _compilations[project.File] =
            CSharpCompilation.Create(project.Name, trees, references, new CSharpCompilationOptions(
            isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true,
            nullableContextOptions: NullableContextOptions.Enable, optimizationLevel: OptimizationLevel.Release));
    }

    public async Task<ImmutableArray<Diagnostic>> AnalyzeAsync(CSharpCompilation compilation)
    {
        var found = await Watched(compilation).GetAnalyzerDiagnosticsAsync();
        return found.FirstOrDefault(diagnostic => diagnostic.Id == "AD0001") is { } crash
            ? throw new InvalidOperationException(crash.ToString())
            : found;
    }

    /// <remarks>What a pragma suppresses counts as well: it is suppressed because a person has judged it.</remarks>
    public static CompilationWithAnalyzers Watched(CSharpCompilation compilation) => new(
        compilation, [new Poolhouse.Analyzers.PoolhouseAnalyzer()],
        new CompilationWithAnalyzersOptions(
            new AnalyzerOptions([]), onAnalyzerException: null, concurrentAnalysis: true, logAnalyzerExecutionTime: true,
            reportSuppressedDiagnostics: true));

    private IEnumerable<string> OutputsOf(string name)
    {
        var folder = Path.Combine(root, "artifacts", "bin", name, "release");
        return Directory.Exists(folder) ? Directory.EnumerateFiles(folder, "*.dll") : [];
    }

    private MetadataReference? Reference(string path)
    {
        if (!_references.TryGetValue(path, out var reference))
        {
            using var stream = System.IO.File.OpenRead(path);
            using var image = new System.Reflection.PortableExecutable.PEReader(stream);
            if (!image.HasMetadata)
            {
                return null;
            }

            _references[path] = reference = MetadataReference.CreateFromFile(path);
        }

        return reference;
    }
}

/// <summary>Something a rule said.</summary>
internal sealed record Finding(
    string Project, string Rule, DiagnosticSeverity Severity, string File, int Line, string Member, string Message, string Text)
{
    public static Finding Of(Diagnostic found, string project, string folder)
    {
        var tree = found.Location.SourceTree!;
        var line = found.Location.GetLineSpan().StartLinePosition.Line;
        var member = tree.GetRoot().FindNode(found.Location.SourceSpan).AncestorsAndSelf().OfType<MemberDeclarationSyntax>()
            .FirstOrDefault();
        return new Finding(
            project, found.Id, found.Severity, Path.GetRelativePath(folder, tree.FilePath).Replace('\\', '/'), line + 1,
            member switch
            {
                MethodDeclarationSyntax method => method.Identifier.Text,
                PropertyDeclarationSyntax property => property.Identifier.Text,
                ConstructorDeclarationSyntax constructor => constructor.Identifier.Text,
                _ => "-",
            },
            found.GetMessage(CultureInfo.InvariantCulture), tree.GetText().Lines[line].ToString().Trim());
    }

    public override string ToString() => $"{Project} | {Rule} | {File}:{Line} | {Member}";
}

/// <summary>What a person thinks of the findings of a rule in a member: a line of labels.txt.</summary>
internal sealed record Label(string Project, string Rule, string File, string Member, bool IsTrue, string Text)
{
    public static List<Label> Read(string path) =>
    [
        .. from line in System.IO.File.ReadLines(path)
           where line.Length > 0 && line[0] != '#'
           let parts = line.Split('|', StringSplitOptions.TrimEntries)
           select new Label(parts[0], parts[1], parts[2], parts[3], parts[4] is "true", line),
    ];

    public bool Fits(Finding found) =>
        found.Project == Project && found.Rule == Rule && found.File == File && found.Member == Member;
}

internal static class Table
{
    public static string Write(SortedDictionary<string, Dictionary<string, (int True, int False)>> counts, List<string> projects)
    {
        var text = new StringBuilder(
            $"| rule | {string.Join(" | ", projects)} | all |\n|---|{string.Concat(projects.Select(_ => "---|"))}---|\n");
        foreach (var (rule, row) in counts)
        {
            var cells =
                projects.Select(project => row.TryGetValue(project, out var count) ? $"{count.True} / {count.False}" : "–");
            text.Append(
                $"| {rule} | {string.Join(" | ", cells)} | {row.Values.Sum(count => count.True)} / " +
                $"{row.Values.Sum(count => count.False)} |\n");
        }

        return text.ToString();
    }

    /// <summary>Replaces the table between the two comments of the page.</summary>
    public static void Put(string table, string page)
    {
        const string Start = "<!-- corpus -->\n", End = "<!-- end corpus -->";
        var text = System.IO.File.ReadAllText(page);
        var (start, end) =
            (text.IndexOf(Start, StringComparison.Ordinal) + Start.Length, text.IndexOf(End, StringComparison.Ordinal));
        System.IO.File.WriteAllText(page, text[..start] + table + text[end..]);
    }
}

/// <summary>What the rules add to the processor time of a compilation that has no other analyzers.</summary>
// Each project is compiled as a whole, analyzed by the rules, and analyzed by an analyzer that does nothing, in turns and on one
// thread. The difference of the last two is what the rules add: the driver binds all bodies in both. Processor time, because wall
// time depends on what else the machine does; the least of the rounds, because what disturbs a round only makes it longer.
internal static class Cost
{
    private const int Rounds = 5;

    public static void Print(IEnumerable<Project> projects, Compiler compiler)
    {
        double compiling = 0, adding = 0;
        foreach (var project in projects.DistinctBy(project => project.File))
        {
            var sources = compiler.Compile(project);
            sources = sources.WithOptions(sources.Options.WithConcurrentBuild(false));
            if (ErrorOf(sources.Clone()) is { } error)
            {
                // The compilation would end before its bodies are compiled, and be no measure of anything.
                Console.WriteLine($"{project.Name,-45} left out: {error}");
                continue;
            }

            var (compile, idle, rules) = (double.MaxValue, double.MaxValue, double.MaxValue);
            for (var round = 0; round < Rounds; round++)
            {
                compile = Math.Min(compile, Time(() => ErrorOf(sources.Clone())));
                idle = Math.Min(idle, Time(() => Analyze(sources.Clone(), new Idle())));
                rules = Math.Min(rules, Time(() => Analyze(sources.Clone(), new Poolhouse.Analyzers.PoolhouseAnalyzer())));
            }

            compiling += compile;
            adding += rules - idle;
            Console.WriteLine($"{project.Name,-45} {compile,9:N0} ms {rules - idle,9:N1} ms {(rules - idle) / compile,8:P2}");
        }

        Console.WriteLine($"{"all",-45} {compiling,9:N0} ms {adding,9:N1} ms {adding / compiling,8:P2}");
    }

    private static double Time(Action action)
    {
        GC.Collect();
        var start = Environment.CpuUsage.TotalTime;
        action();
        return (Environment.CpuUsage.TotalTime - start).TotalMilliseconds;
    }

    private static Diagnostic? ErrorOf(CSharpCompilation compilation) =>
        compilation.Emit(Stream.Null).Diagnostics.FirstOrDefault(found => found.Severity == DiagnosticSeverity.Error);

    private static void Analyze(CSharpCompilation compilation, DiagnosticAnalyzer analyzer) => new CompilationWithAnalyzers(
        compilation, [analyzer], new CompilationWithAnalyzersOptions(
            new AnalyzerOptions([]), onAnalyzerException: null, concurrentAnalysis: false, logAnalyzerExecutionTime: false))
        .GetAnalyzerDiagnosticsAsync().GetAwaiter().GetResult();

    [DiagnosticAnalyzer(LanguageNames.CSharp)]
    private sealed class Idle : DiagnosticAnalyzer
    {
        public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
            [new DiagnosticDescriptor("PH0000", "-", "-", "-", DiagnosticSeverity.Warning, isEnabledByDefault: true)];

        public override void Initialize(AnalysisContext context)
        {
            context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
            context.EnableConcurrentExecution();
            context.RegisterSymbolAction(_ => { }, SymbolKind.Namespace);
        }
    }
}
