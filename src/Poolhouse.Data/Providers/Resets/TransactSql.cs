using System.Buffers;

namespace Poolhouse.Data.Providers.Resets;

/// <summary>Reads batches of Transact-SQL as far as it must be known what they leave behind in a session.</summary>
internal static class TransactSql
{
    // The first word of a batch may also be the name of a procedure.
    private static readonly HashSet<string> _beginnings =
        new(["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "DECLARE", "SET"], StringComparer.OrdinalIgnoreCase);

    // All are reserved, so a column or an alias of that name is quoted. Statements need no semicolon between them.
    private static readonly HashSet<string> _traces = new(
        [
            "BEGIN", "COMMIT", "ROLLBACK", "SAVE", "TRANSACTION", "TRAN", "EXEC", "EXECUTE", "REVERT", "SETUSER", "USE", "CREATE",
            "ALTER", "DROP", "CURSOR", "OPEN", "DBCC", "BULK", "KILL", "SHUTDOWN", "RECONFIGURE", "BACKUP", "RESTORE",
        ],
        StringComparer.OrdinalIgnoreCase);

    private static readonly SearchValues<char> _operators = SearchValues.Create("=.+*/%&|^");

    /// <summary>
    /// Whether a batch leaves nothing behind but what the reset of the protocol undoes: no transaction, isolation level, user,
    /// temporary table, cursor or setting.
    /// </summary>
    // When in doubt, it does. Entity Framework begins changes of rows with SET IMPLICIT_TRANSACTIONS OFF and SET NOCOUNT ON.
    public static bool IsPlain(string batch)
    {
        var rest = batch.AsSpan().TrimStart(" \t\r\n;");
        var isFirst = true;
        while (!rest.IsEmpty)
        {
            if (char.IsLetter(rest[0]) || rest[0] is '_' or '@')
            {
                var word = rest[..LengthOfWord(rest)];
                rest = rest[word.Length..];
                if ((isFirst && !Contains(_beginnings, word)) || Contains(_traces, word)
                    || (word.Equals("SET", StringComparison.OrdinalIgnoreCase) && !Assigns(rest)))
                {
                    return false;
                }

                isFirst = false;
            }
            else if (rest[0] == '#' || (LengthAt(rest) is var length && length < 0))
            {
                return false;
            }
            else
            {
                rest = rest[length..];
            }
        }

        return !isFirst;
    }

    private static bool Contains(HashSet<string> words, ReadOnlySpan<char> word) =>
        words.GetAlternateLookup<ReadOnlySpan<char>>().Contains(word);

    /// <summary>Whether what follows SET is a column or a variable, and not a setting other than these two.</summary>
    private static bool Assigns(ReadOnlySpan<char> rest)
    {
        rest = rest.TrimStart();
        if (rest.IsEmpty || rest[0] is '@' or '[' or '"')
        {
            return true;
        }

        var word = rest[..LengthOfWord(rest)];
        rest = rest[word.Length..].TrimStart();
        return word.Equals("NOCOUNT", StringComparison.OrdinalIgnoreCase)
            || (word.Equals("IMPLICIT_TRANSACTIONS", StringComparison.OrdinalIgnoreCase)
                && rest.StartsWith("OFF", StringComparison.OrdinalIgnoreCase))
            || (!rest.IsEmpty && _operators.Contains(rest[0]));
    }

    private static int LengthOfWord(ReadOnlySpan<char> rest)
    {
        var length = 0;
        while (length < rest.Length && (char.IsLetterOrDigit(rest[length]) || rest[length] is '_' or '@' or '#' or '$'))
        {
            length++;
        }

        return length;
    }

    /// <summary>
    /// The length of what is not a word: a text, a quoted name, a comment or one character. Negative if it has no end.
    /// </summary>
    private static int LengthAt(ReadOnlySpan<char> rest) => rest switch
    {
        ['\'' or '"', ..] => LengthOfQuoted(rest, rest[0]),
        ['[', ..] => LengthOfQuoted(rest, ']'),
        ['-', '-', ..] => rest.IndexOf('\n') is var end && end < 0 ? rest.Length : end,
        ['/', '*', ..] => LengthOfComment(rest),
        [>= '0' and <= '9', ..] => Math.Max(1, LengthOfWord(rest)),
        _ => 1,
    };

    private static int LengthOfQuoted(ReadOnlySpan<char> rest, char quote)
    {
        for (var i = 1; i < rest.Length; i++)
        {
            if (rest[i] == quote && (++i == rest.Length || rest[i] != quote))
            {
                return i;
            }
        }

        return -1;
    }

    // Comments are nested.
    private static int LengthOfComment(ReadOnlySpan<char> rest)
    {
        var depth = 0;
        for (var i = 0; i + 1 < rest.Length; i++)
        {
            depth += (rest[i], rest[i + 1]) switch
            {
                ('/', '*') => 1,
                ('*', '/') => -1,
                _ => 0,
            };
            if (depth == 0 && rest[i] == '*')
            {
                return i + 2;
            }

            i += (rest[i], rest[i + 1]) is ('/', '*') or ('*', '/') ? 1 : 0;
        }

        return -1;
    }
}
