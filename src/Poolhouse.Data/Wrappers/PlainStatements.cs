using System.Buffers;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// Determines from its text whether a command is a single query or change of rows that does not affect the session or the transaction.
/// </summary>
// When in doubt it is not: comments in front, more than one statement, and whatever begins with another word.
internal static class PlainStatements
{
    private static readonly HashSet<string> _words = new(["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES", "WITH"], StringComparer.OrdinalIgnoreCase);

    private static readonly SearchValues<char> _ends = SearchValues.Create(" \t\r\n(*");

    public static bool IsOne(string statement)
    {
        var text = statement.AsSpan().Trim();
        text = text.EndsWith(';') ? text[..^1] : text;
        var end = text.IndexOfAny(_ends);
        return end > 0 && _words.GetAlternateLookup<ReadOnlySpan<char>>().Contains(text[..end]) && !text.Contains(';');
    }
}
