using System.Diagnostics;
using Poolhouse.Data.Tests;
using Poolhouse.Data.Tests.Creation;
using Poolhouse.Testing;

[assembly: AssemblyFixture(typeof(WholeRun))]

namespace Poolhouse.Data.Tests;

/// <summary>At the end of the run, everything that was rented must be back, and every pool disposed.</summary>
public sealed class WholeRun : IDisposable
{
    // By types on the stack of the rent or of the creation.
    private static readonly (LeakKind Kind, string Type)[] _expected =
    [
        // The test is about sources that are not disposed.
        (LeakKind.Pool, typeof(UnreferencedSources).FullName!),

        // The providers do not return all their arrays if a reply is truncated or a command is cancelled while it is being sent.
        (LeakKind.SharedArray, "Npgsql."),
        (LeakKind.SharedArray, "MySqlConnector."),
    ];

    private readonly LeakCheck _leaks = new();

    public void Dispose()
    {
        try
        {
            _leaks.Dispose();
        }
        catch (LeakException found)
        {
            var unexpected = found.Leaks.Where(static leak => !_expected.Any(each => IsAt(leak, each))).ToList();
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
