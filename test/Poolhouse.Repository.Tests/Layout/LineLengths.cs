namespace Poolhouse.Repository.Tests.Layout;

/// <summary>
/// Lines have at most 130 columns, so that two files fit side by side. Longer ones are those that cannot be divided well: with a
/// text in quotation marks, a directive, or an attribute of a type parameter.
/// </summary>
public sealed class LineLengths
{
    private const int Most = 130;

    [Fact]
    public void Lines_of_code_have_at_most_130_columns() => Problems.AssertNone(
        from file in RepositoryFiles.Files("*.cs")
        from line in LongLines(File.ReadAllLines(file))
        select $"{RepositoryFiles.Relative(file)}:{line}");

    private static IEnumerable<int> LongLines(string[] lines)
    {
        var isRaw = false;
        for (var index = 0; index < lines.Length; index++)
        {
            var line = lines[index];
            var quotes = line.Split("\"\"\"").Length - 1;
            if (line.Length > Most && !isRaw && quotes == 0 && !IsIndivisible(line.TrimStart()))
            {
                yield return index + 1;
            }

            isRaw ^= quotes % 2 == 1;
        }
    }

    private static bool IsIndivisible(string line) =>
        line.StartsWith('#')
        || (line.Contains('"', StringComparison.Ordinal) && !line.StartsWith("//", StringComparison.Ordinal))
        || line.Contains("[DynamicallyAccessedMembers(", StringComparison.Ordinal)
        || line.StartsWith("/// <inheritdoc cref=", StringComparison.Ordinal);
}
