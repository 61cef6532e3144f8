using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Repository.Tests.Layout;

/// <summary>
/// How large the library may be. A change that needs room makes room elsewhere, or changes the number here in its own commit with
/// the reason.
/// </summary>
public sealed class Sizes
{
    private const string Advice =
        "Make room: delete or share something, or change the number in " + nameof(Sizes) + " in a commit of its own with the reason.";

    // Statements are lines of code: neither blank, comment nor a lone brace. The goals are 10,900, 3,250 and 3,900.
    private static readonly Limit[] _statements =
    [
        new("Poolhouse", 10_900),
        new("Poolhouse.Servers", 706),
        new("Poolhouse.Workers", 3_250),
        // 200 more for the profiles of providers: how each is recognized, reset and judged, once instead of all over the package;
        // 350 more for the budget of a server, which many processes share; 320 more for SQL Server: a driver's pool for each
        // connection, errors by number, and what a batch leaves behind; 30 more for the roles of servers in three profiles;
        // 70 more for the hosts of one connection string, which become a server set; 10 more for their names in snapshots;
        // 11 more for their data sources with credentials that change.
        new("Poolhouse.Data", 4_920),
    ];

    private const int MostPublicTypesOfCore = 85;

    // The lines that a reader scrolls through, therefore with comments: all parts of a type, without its documentation and
    // without nested types, which count for themselves.
    private const int MostLinesOfType = 600;
    private const int MostLinesOfMethod = 60;

    public static TheoryData<string> LimitedPackages => [.. _statements.Select(limit => limit.Package)];

    public static TheoryData<string> Packages =>
        [.. RepositoryFiles.Files("*.csproj", "src").Select(file => Path.GetFileNameWithoutExtension(file))];

    [Theory]
    [MemberData(nameof(LimitedPackages))]
    public void A_package_does_not_outgrow_its_number_of_statements(string package)
    {
        var most = _statements.Single(limit => string.Equals(limit.Package, package, StringComparison.Ordinal)).Statements;
        Problems.AssertNone(Excess($"{package}, statements", Roots(package).Sum(StatementsOf), most));
    }

    [Fact]
    public void The_core_does_not_outgrow_its_number_of_public_types() => Problems.AssertNone(Excess(
        "Poolhouse, public types", typeof(IPool).Assembly.GetExportedTypes().Length, MostPublicTypesOfCore));

    [Theory]
    [MemberData(nameof(Packages))]
    public void No_type_is_too_long(string package) => Problems.AssertNone(
        from root in Roots(package)
        from type in root.DescendantNodes().OfType<BaseTypeDeclarationSyntax>()
        group LinesOf(type) - NestedIn(type).Sum(LinesOf) by NameOf(type) into parts
        from problem in Excess($"{package}, lines of {parts.Key}", parts.Sum(), MostLinesOfType)
        select problem);

    [Theory]
    [MemberData(nameof(Packages))]
    public void No_method_is_too_long(string package) => Problems.AssertNone(
        from root in Roots(package)
        from member in root.DescendantNodes()
        where member is BaseMethodDeclarationSyntax or BasePropertyDeclarationSyntax
        let name = NameOf(member)
        from problem in Excess($"{package}, lines of {name}", LinesOf(member), MostLinesOfMethod)
        select problem);

    private static IEnumerable<string> Excess(string what, int count, int most) =>
        count > most ? [$"{what}: {count}, {count - most} more than {most}. {Advice}"] : [];

    private static IEnumerable<SyntaxNode> Roots(string package) =>
        RepositoryFiles.Files("*.cs", "src", package).Select(file => CSharpSyntaxTree.ParseText(File.ReadAllText(file)).GetRoot());

    private static int StatementsOf(SyntaxNode root)
    {
        var directives = root.DescendantTrivia().Where(trivia => trivia.IsDirective)
            .Select(trivia => trivia.GetLocation().GetLineSpan().StartLinePosition.Line);
        var code = root.DescendantTokens()
            .Where(token => token.Span.Length > 0)
            .SelectMany(token => LineNumbersOf(token).Select(line => (Line: line, token)))
            .GroupBy(each => each.Line, each => each.token)
            .Where(line => !IsLoneBrace([.. line]))
            .Select(line => line.Key);
        return code.Concat(directives).Count();
    }

    private static bool IsLoneBrace(SyntaxToken[] line) =>
        line is [var only] && (only.IsKind(SyntaxKind.OpenBraceToken) || only.IsKind(SyntaxKind.CloseBraceToken));

    private static IEnumerable<int> LineNumbersOf(SyntaxToken token)
    {
        var span = token.GetLocation().GetLineSpan();
        return Enumerable.Range(span.StartLinePosition.Line, span.EndLinePosition.Line - span.StartLinePosition.Line + 1);
    }

    private static int LinesOf(SyntaxNode node)
    {
        var span = node.GetLocation().GetLineSpan();
        return span.EndLinePosition.Line - span.StartLinePosition.Line + 1;
    }

    private static IEnumerable<BaseTypeDeclarationSyntax> NestedIn(BaseTypeDeclarationSyntax type) =>
        type.ChildNodes().OfType<BaseTypeDeclarationSyntax>();

    // With the number of type parameters, because Lease and Lease<T> are two types.
    private static string NameOf(SyntaxNode? node) => node switch
    {
        TypeDeclarationSyntax { TypeParameterList.Parameters.Count: var arity } type =>
            $"{PrefixOf(type)}{type.Identifier.Text}`{arity}",
        BaseTypeDeclarationSyntax type => $"{PrefixOf(type)}{type.Identifier.Text}",
        MethodDeclarationSyntax method => $"{PrefixOf(method)}{method.Identifier.Text}",
        PropertyDeclarationSyntax property => $"{PrefixOf(property)}{property.Identifier.Text}",
        { } other => $"{PrefixOf(other)}{other.Kind()}",
        null => "",
    };

    private static string PrefixOf(SyntaxNode node) =>
        node.Parent is BaseTypeDeclarationSyntax container ? NameOf(container) + "." : "";

    private sealed record Limit(string Package, int Statements);
}
