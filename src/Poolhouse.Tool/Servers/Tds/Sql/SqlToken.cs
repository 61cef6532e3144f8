using System.Text;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>A word, name, literal or sign of a statement; the text of names and literals is without their delimiters.</summary>
internal readonly record struct SqlToken(SqlTokenKind Kind, string Text)
{
    /// <summary>Whether it is a word or a sign, and this one.</summary>
    public bool Is(string word) =>
        Kind is SqlTokenKind.Word or SqlTokenKind.Symbol && Text.Equals(word, StringComparison.OrdinalIgnoreCase);

    public bool IsName => Kind is SqlTokenKind.Word or SqlTokenKind.Name;

    public static List<SqlToken> Read(string sql)
    {
        var tokens = new List<SqlToken>();
        for (var i = 0; i < sql.Length;)
        {
            var start = i;
            var c = sql[i];
            if (char.IsWhiteSpace(c))
            {
                i++;
            }
            else if (sql.AsSpan(i).StartsWith("--"))
            {
                i = sql.IndexOf('\n', i) is var end and >= 0 ? end + 1 : sql.Length;
            }
            else if (sql.AsSpan(i).StartsWith("/*"))
            {
                i = sql.IndexOf("*/", i + 2, StringComparison.Ordinal) is var end and >= 0 ? end + 2 : sql.Length;
            }
            else if (c == '\'' || (c is 'N' or 'n' && i + 1 < sql.Length && sql[i + 1] == '\''))
            {
                i += c == '\'' ? 1 : 2;
                tokens.Add(new SqlToken(SqlTokenKind.Text, Delimited(sql, '\'', ref i)));
            }
            else if (c is '[' or '"')
            {
                i++;
                tokens.Add(new SqlToken(SqlTokenKind.Name, Delimited(sql, c == '[' ? ']' : '"', ref i)));
            }
            else if (char.IsLetter(c) || c is '_' or '#' or '@')
            {
                while (i < sql.Length && (char.IsLetterOrDigit(sql[i]) || sql[i] is '_' or '#' or '@' or '$'))
                {
                    i++;
                }

                tokens.Add(new SqlToken(c == '@' ? SqlTokenKind.Variable : SqlTokenKind.Word, sql[start..i]));
            }
            else if (char.IsDigit(c))
            {
                while (i < sql.Length && (char.IsLetterOrDigit(sql[i]) || sql[i] == '.'))
                {
                    i++;
                }

                tokens.Add(new SqlToken(SqlTokenKind.Number, sql[start..i]));
            }
            else
            {
                i += c is '<' or '>' or '!' && i + 1 < sql.Length && sql[i + 1] is '=' or '>' ? 2 : 1;
                tokens.Add(new SqlToken(SqlTokenKind.Symbol, sql[start..i]));
            }
        }

        return tokens;
    }

    /// <summary>The parts between commas that are not in parentheses.</summary>
    public static List<List<SqlToken>> Split(List<SqlToken> tokens)
    {
        var parts = new List<List<SqlToken>>();
        var depth = 0;
        foreach (var token in tokens)
        {
            depth += token.Is("(") ? 1 : token.Is(")") ? -1 : 0;
            if (parts.Count == 0 || (depth == 0 && token.Is(",")))
            {
                parts.Add([]);
            }

            if (depth > 0 || !token.Is(","))
            {
                parts[^1].Add(token);
            }
        }

        return parts;
    }

    private static string Delimited(string sql, char end, ref int i)
    {
        var text = new StringBuilder();
        while (true)
        {
            if (i >= sql.Length)
            {
                throw new TdsError(105, "Unclosed quotation mark.", endsBatch: true);
            }

            var c = sql[i++];
            if (c != end)
            {
                text.Append(c);
            }
            else if (i < sql.Length && sql[i] == end)
            {
                text.Append(c);
                i++;
            }
            else
            {
                return text.ToString();
            }
        }
    }
}
