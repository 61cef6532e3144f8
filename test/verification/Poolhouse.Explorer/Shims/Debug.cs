using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Explorer.Shims;

/// <summary>Assertions inside the pool fail the run instead of ending the process.</summary>
internal static class Debug
{
    public static void Assert([DoesNotReturnIf(false)] bool condition, string message = "")
    {
        if (!condition)
        {
            throw new InvalidOperationException($"An assertion of the pool does not hold: {message}");
        }
    }
}
