using System.Buffers;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// Determines from its text whether a command is a single query or change of rows that does not affect the session or the
/// transaction.
/// </summary>
// When in doubt, it is not: leading comments, more than one statement, and any other first keyword.
internal static class PlainStatements
{
    private static readonly HashSet<string> _words =
        new(["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES", "WITH"], StringComparer.OrdinalIgnoreCase);

    private static readonly HashSet<string> _changes =
        new(["INSERT", "UPDATE", "DELETE", "REPLACE"], StringComparer.OrdinalIgnoreCase);

    private static readonly HashSet<string> _transactionWords =
        new(["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"], StringComparer.OrdinalIgnoreCase);

    private static readonly SearchValues<char> _ends = SearchValues.Create(" \t\r\n(*");

    public static bool IsOne(string statement) => BeginsWith(_words, statement, needsMore: true);

    /// <summary>Whether a command is a single change of rows.</summary>
    public static bool ChangesRows(string statement) => BeginsWith(_changes, statement, needsMore: true);

    /// <summary>Whether a command is a single statement that begins or ends a transaction or a savepoint.</summary>
    public static bool IsTransactionControl(string statement) => BeginsWith(_transactionWords, statement, needsMore: false);

    private static bool BeginsWith(HashSet<string> words, string statement, bool needsMore)
    {
        var text = statement.AsSpan().Trim();
        text = text.EndsWith(';') ? text[..^1] : text;
        var end = text.IndexOfAny(_ends);
        var word = end >= 0 || needsMore ? text[..Math.Max(end, 0)] : text;
        return words.GetAlternateLookup<ReadOnlySpan<char>>().Contains(word) && !text.Contains(';');
    }
}
