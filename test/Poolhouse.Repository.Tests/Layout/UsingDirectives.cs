namespace Poolhouse.Repository.Tests.Layout;

/// <summary>
/// Using directives stand in one order: System first, then the alphabet. Neither the build nor <c>dotnet format whitespace</c>
/// checks this, and <c>dotnet format style</c> takes a minute for it, because it runs every analyzer of the build once more.
/// </summary>
public sealed class UsingDirectives
{
    [Fact]
    public void Using_directives_are_sorted_with_System_first() => Problems.AssertNone(
        from file in RepositoryFiles.Files("*.cs")
        from block in Blocks(File.ReadLines(file))
        where !block.SequenceEqual(block.OrderBy(NotSystem).ThenBy(Name, StringComparer.OrdinalIgnoreCase))
        select $"{RepositoryFiles.Relative(file)}: {string.Join(" ", block)}");

    // Only plain directives: static ones and aliases follow behind, in whatever order reads best.
    private static IEnumerable<string[]> Blocks(IEnumerable<string> lines)
    {
        var block = lines
            .TakeWhile(line => !line.StartsWith("namespace ", StringComparison.Ordinal))
            .Where(line => line.StartsWith("using ", StringComparison.Ordinal) && !line.Contains('=', StringComparison.Ordinal)
                && line.EndsWith(';') && !line.StartsWith("using static ", StringComparison.Ordinal))
            .ToArray();

        return block.Length > 1 ? [block] : [];
    }

    private static bool NotSystem(string directive) =>
        !string.Equals(Name(directive).Split('.')[0], "System", StringComparison.Ordinal);

    private static string Name(string directive) => directive["using ".Length..].TrimEnd(';');
}
