using System.Runtime.CompilerServices;
using Poolhouse.Servers;

namespace Poolhouse.Tests;

/// <summary>Server sets whose random numbers are controlled by the test.</summary>
// The internals of the package are not visible here: it compiles helpers of the core for itself, and each would exist twice.
internal static class SteeredServerSets
{
    public static ServerSetOptions With(this ServerSetOptions options, Random random)
    {
        SetRandom(options, random);
        return options;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_Random")]
    private static extern void SetRandom(ServerSetOptions options, Random random);
}
