using System.Diagnostics;
using Poolhouse.Testing;

namespace Poolhouse.TestSupport;

/// <summary>What may be left at the end of a whole run, by types on the stack of the rent or of the creation.</summary>
internal static class ExpectedLeaks
{
    /// <summary>Ends the check, and fails if anything else is left.</summary>
    public static void End(LeakCheck check, params IReadOnlyList<(LeakKind Kind, string Type)> expected)
    {
        try
        {
            check.Dispose();
        }
        catch (LeakException found)
        {
            var unexpected = found.Leaks.Where(leak => !expected.Any(each => IsAt(leak, each))).ToList();
            Assert.True(unexpected.Count == 0, string.Join(Environment.NewLine, unexpected));
        }
    }

    private static bool IsAt(Leak leak, (LeakKind Kind, string Type) expected) =>
        leak.Kind == expected.Kind
        && leak.Site is { } site
        && site.GetFrames().Any(frame =>
            DiagnosticMethodInfo.Create(frame) is { DeclaringTypeName: { } type }
            && type.StartsWith(expected.Type, StringComparison.Ordinal));
}
