using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Layout;

/// <summary>All that the package for databases knows about a provider stands in its profile.</summary>
public sealed partial class ProviderNames
{
    [Fact]
    public void Only_the_profiles_name_a_provider() => Problems.AssertNone(
        from file in RepositoryFiles.Files("*.cs", "src", "Poolhouse.Data")
        let path = RepositoryFiles.Relative(file)
        where !path.StartsWith("src/Poolhouse.Data/Providers/", StringComparison.Ordinal)
        from line in File.ReadLines(file)
        where !line.TrimStart().StartsWith("//", StringComparison.Ordinal) && Name().IsMatch(line)
        select $"{path}: {line.Trim()}");

    [GeneratedRegex(
        "npgsql|sqlclient|sqlconnection|sqlserver|mysql|mariadb|sqlite|odbc|duckdb|firebird|postgres", RegexOptions.IgnoreCase
        | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Name();
}
