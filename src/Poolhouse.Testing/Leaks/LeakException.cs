namespace Poolhouse.Testing;

/// <summary>The exception of a <see cref="LeakScope"/> or a <see cref="LeakCheck"/> that found leaks.</summary>
public sealed class LeakException : Exception
{
    private const int MostShown = 10;

    private LeakException(IReadOnlyList<Leak> leaks)
        : base(Describe(leaks)) => Leaks = leaks;

    /// <summary>What was not returned or disposed.</summary>
    public IReadOnlyList<Leak> Leaks { get; }

    internal static void ThrowIfAny(IReadOnlyList<Leak> leaks)
    {
        if (leaks.Count > 0)
        {
            throw new LeakException(leaks);
        }
    }

    private static string Describe(IReadOnlyList<Leak> leaks) => string.Join(
        Environment.NewLine,
        leaks.Take(MostShown).Select(static leak => leak.ToString())
            .Prepend(
                $"{leaks.Count} {(leaks.Count == 1 ? "leak" : "leaks")}. Return what was rented, and dispose what was created:")
            .Concat(leaks.Count > MostShown ? [$"and {leaks.Count - MostShown} more"] : []));
}
