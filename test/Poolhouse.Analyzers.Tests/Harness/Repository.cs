using Poolhouse.TestSupport;

namespace Poolhouse.Analyzers.Tests.Harness;

/// <summary>Sources of the checkout that these tests were built from.</summary>
internal static class Repository
{
    /// <summary>All sources of the repository, in a stable order.</summary>
    public static IEnumerable<string> Sources() =>
        from folder in new[] { "src", "test", "samples", "bench", "eng" }
        from path in Directory.EnumerateFiles(Checkout.PathOf(folder), "*.cs", SearchOption.AllDirectories)
            .Order(StringComparer.Ordinal)
        where !path.Split(Path.DirectorySeparatorChar).Any(part => part is "obj" or "bin")
        select path;
}
