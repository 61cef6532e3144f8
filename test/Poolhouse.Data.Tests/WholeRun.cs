using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Data.Tests;
using Poolhouse.Data.Tests.Creation;
using Poolhouse.Testing;

[assembly: AssemblyFixture(typeof(WholeRun))]

namespace Poolhouse.Data.Tests;

/// <summary>At the end of the run, everything that was rented must be back, and every pool disposed.</summary>
public sealed class WholeRun : IDisposable
{
    private readonly LeakCheck _leaks = new();

    // They do not return all their arrays if a reply is truncated or a command is cancelled while it is being sent.
#pragma warning disable CA2255 // Before any test.
    [ModuleInitializer]
#pragma warning restore CA2255
    internal static void IgnoreProviders() => LeakScope.IgnoreArraysOf("Npgsql", "MySqlConnector");

    public void Dispose()
    {
        try
        {
            _leaks.Dispose();
        }
        catch (LeakException found)
        {
            var unexpected = found.Leaks.Where(static leak => !IsForgottenOnPurpose(leak)).ToList();
            Assert.True(unexpected.Count == 0, string.Join(Environment.NewLine, unexpected));
        }
    }

    private static bool IsForgottenOnPurpose(Leak leak) =>
        leak.Kind == LeakKind.Pool
        && leak.Site is { } site
        && site.GetFrames().Any(frame =>
            DiagnosticMethodInfo.Create(frame) is { DeclaringTypeName: { } type }
            && type.StartsWith(typeof(UnreferencedSources).FullName!, StringComparison.Ordinal));
}
