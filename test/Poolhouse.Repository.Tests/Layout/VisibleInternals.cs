using System.Xml.Linq;

namespace Poolhouse.Repository.Tests.Layout;

/// <summary>
/// A package uses only public members of another, so that anyone can write such a package: internals are visible to tests alone.
/// </summary>
public sealed class VisibleInternals
{
    // What does not follow the rule yet, and why. An entry that does must be removed.
    private static readonly Dictionary<string, string> _exceptions = new(StringComparer.Ordinal)
    {
        ["Poolhouse -> Poolhouse.Testing"] =
            "scripted policies and the contract steer hooks, randomness and the scheduler of a pool, as only tests may",
        ["Poolhouse -> Poolhouse.Workers"] =
            "a part of the core with a package of its own: it uses the kernel and nothing else (ADR 30), which Floors checks",
    };

    [Fact]
    public void No_package_uses_the_internals_of_another()
    {
        var shown =
            from project in RepositoryFiles.Files("*.csproj", "src")
            from visible in XDocument.Load(project).Descendants("InternalsVisibleTo")
            let user = (string)visible.Attribute("Include")!
            where !user.EndsWith(".Tests", StringComparison.Ordinal) && !IsVerification(user)
            select $"{Path.GetFileNameWithoutExtension(project)} -> {user}";

        Assert.Equal(_exceptions.Keys.Order(StringComparer.Ordinal), shown.Order(StringComparer.Ordinal));
    }

    // The internals may change with each version.
    [Fact]
    public void A_package_that_uses_internals_needs_the_exact_version_of_the_core() => Assert.Equal(
        _exceptions.Keys.Select(exception => exception.Split(' ')[^1]).Order(StringComparer.Ordinal),
        from project in RepositoryFiles.Files("*.csproj", "src")
        where File.ReadAllText(project).Contains("<UsesInternalsOfCore>true<", StringComparison.Ordinal)
        orderby Path.GetFileNameWithoutExtension(project)
        select Path.GetFileNameWithoutExtension(project));

    [Fact]
    public void No_package_shows_its_internals_by_an_attribute_in_its_code() =>
        Assert.DoesNotContain(
            RepositoryFiles.Files("*.cs", "src"),
            file => File.ReadAllText(file).Contains("InternalsVisibleTo(", StringComparison.Ordinal));

    private static bool IsVerification(string user) =>
        Directory.Exists(RepositoryFiles.PathOf("test", "verification", user));
}
