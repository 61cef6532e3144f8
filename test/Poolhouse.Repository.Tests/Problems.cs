namespace Poolhouse.Repository.Tests;

/// <summary>For checks over many files: the failure lists every problem, one a line.</summary>
internal static class Problems
{
    public static void AssertNone(IEnumerable<string> problems)
    {
        var found = string.Join('\n', problems);
        Assert.True(found.Length == 0, found);
    }
}
