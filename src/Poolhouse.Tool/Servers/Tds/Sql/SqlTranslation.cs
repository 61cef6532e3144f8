using System.Globalization;
using System.Text;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>Rewrites a statement of Transact-SQL that uses tables or expressions for SQLite.</summary>
internal sealed class SqlTranslation(IReadOnlyList<SqlToken> tokens)
{
    private const string Sessions =
        "(SELECT value->>'id' AS session_id, value->>'level' AS transaction_isolation_level," +
        " value->>'open' AS open_transaction_count, value->>'login' AS login_name, value->>'program' AS program_name," +
        " value->>'db' AS database_name, value->>'busy' AS status, value->>'deadlock' AS deadlock_priority," +
        " value->>'format' AS date_format FROM json_each(tds_sessions()))";

    private static readonly HashSet<string> _clocks =
        new(["GETDATE", "GETUTCDATE", "SYSDATETIME", "SYSUTCDATETIME"], StringComparer.OrdinalIgnoreCase);

    private static readonly HashSet<string> _beforeTables =
        new(["FROM", "JOIN", "INTO", "UPDATE", "TABLE", "DELETE", "EXISTS", "ON", "."], StringComparer.OrdinalIgnoreCase);

    /// <summary>Whether a table is named that is not temporary.</summary>
    public bool UsesTables { get; private set; }

    public bool UsesTemporaryTables => tokens.Any(token => token.Kind == SqlTokenKind.Word && token.Text.StartsWith('#'));

    private int Count => tokens.Count;

    /// <summary>The whole statement.</summary>
    public string ToSql()
    {
        if (tokens[0].Is("CREATE") && tokens.Count > 2 && tokens[1].Is("TABLE"))
        {
            return CreateTable();
        }

        if (tokens[0].Is("TRUNCATE"))
        {
            UsesTables = true;
            return "DELETE FROM " + Scope(2, tokens.Count);
        }

        if (tokens[0].Is("DELETE") && tokens.Count > 3 && tokens[3].Is("FROM"))
        {
            // DELETE FROM alias FROM table AS alias
            return "DELETE " + Scope(3, tokens.Count);
        }

        if (tokens[0].Is("MERGE"))
        {
            return Merge();
        }

        if (tokens[0].Is("UPDATE") && Find(0, tokens.Count, "FROM") is var from && from + 3 < tokens.Count)
        {
            return UpdateByAlias(from);
        }

        var into = tokens[0].Is("SELECT") ? Find(0, tokens.Count, "INTO") : tokens.Count;
        return into == tokens.Count
            ? Scope(0, tokens.Count)
            : $"CREATE TEMP TABLE {Text(tokens[into + 1])} AS {Scope(0, into)} {Scope(into + 2, tokens.Count)}";
    }

    /// <summary>The name of a column of the result: that of an expression is empty unless the client gave it one.</summary>
    public static string ColumnName(string name) =>
        name.Contains('(', StringComparison.Ordinal) || !(char.IsLetter(name[0]) || name[0] == '_') ? "" : name;

    /// <summary>The types to which the columns of a SELECT are cast; null for those that are not.</summary>
    public List<string?> Casts()
    {
        var casts = new List<string?> { null };
        if (!tokens[0].Is("SELECT"))
        {
            return casts;
        }

        var depth = 0;
        for (var i = 1; i < tokens.Count && !(depth == 0 && tokens[i].Is("FROM")); i++)
        {
            depth += tokens[i].Is("(") ? 1 : tokens[i].Is(")") ? -1 : 0;
            if (depth == 0 && tokens[i].Is(","))
            {
                casts.Add(null);
            }
            else if (depth == 1 && tokens[i].Is("AS") && i + 1 < tokens.Count)
            {
                casts[^1] = tokens[i + 1].Text;
            }
            else if (depth == 0 && tokens[i].Text.Equals("@@SPID", StringComparison.OrdinalIgnoreCase))
            {
                casts[^1] = "SMALLINT";
            }
            else if (depth == 0 && _clocks.Contains(tokens[i].Text))
            {
                casts[^1] = "DATETIME2";
            }
        }

        return casts;
    }

    /// <summary>The part of the statement between two tokens, without parentheses around it.</summary>
    private string Scope(int from, int to)
    {
        var sql = new StringBuilder();
        string? limit = null;
        string? returning = null;
        for (var i = from; i < to; i++)
        {
            var token = tokens[i];
            if (token.Is("("))
            {
                var end = Closing(i);
                var isLength = end == i + 2 && tokens[i + 1].Is("MAX");
                sql.Append(isLength ? "" : "(" + Scope(i + 1, end) + ")");
                i = end;
            }
            else if (token.Is("TOP") || token.Is("OFFSET"))
            {
                limit = Limit(ref i, to);
            }
            else if (token.Is("OUTPUT"))
            {
                var end = Find(i, to, "VALUES", "SELECT", "WHERE", "FROM", "DEFAULT");
                returning = Scope(i + 1, end);
                i = end - 1;
            }
            else if (token.Is("CLUSTERED") || token.Is("NONCLUSTERED"))
            {
                continue;
            }
            else if (token.Is("WITH") && i > 0 && i + 1 < to && tokens[i + 1].Is("("))
            {
                i = Closing(i + 1);
            }
            else if (token.IsName && i + 1 < to && tokens[i + 1].Is(".") && IsQualifier(token.Text))
            {
                while (i + 1 < to && tokens[i + 1].Is("."))
                {
                    i++;
                }
            }
            else if (token.Is("sys") && i + 2 < to && tokens[i + 1].Is("."))
            {
                if (!tokens[i + 2].Is("dm_exec_sessions"))
                {
                    throw new TdsError(208, $"Invalid object name 'sys.{tokens[i + 2].Text}'.", endsBatch: true);
                }

                sql.Append(Sessions);
                i += 2;
            }
            else
            {
                NoteTable(i);
                sql.Append(Text(token)).Append(token.Is(".") || (i + 1 < to && tokens[i + 1].Is(".")) ? "" : " ");
            }
        }

        return sql + (limit is null ? "" : " LIMIT " + limit) + (returning is null ? "" : " RETURNING " + returning);
    }

    // TOP (n), or OFFSET m ROWS FETCH NEXT n ROWS ONLY
    private string Limit(ref int i, int to)
    {
        if (tokens[i].Is("TOP"))
        {
            var isScope = tokens[++i].Is("(");
            var start = i;
            i = isScope ? Closing(i) : i;
            return isScope ? Scope(start + 1, i) : Text(tokens[i]);
        }

        var fetch = Find(i, to, "FETCH");
        var skipped = Scope(i + 1, Find(i, fetch, "ROWS", "ROW"));
        i = to;
        return (fetch < to ? Scope(fetch + 2, Find(fetch, to, "ROWS", "ROW")) : "-1") + " OFFSET " + skipped;
    }

    private void NoteTable(int i)
    {
        if (i > 0 && tokens[i].IsName && !tokens[i].Text.StartsWith('#'))
        {
            UsesTables |= _beforeTables.Contains(tokens[i - 1].Text);
        }
    }

    private static bool IsQualifier(string name) =>
        name.ToUpperInvariant() is "DBO" or "INSERTED" or "DELETED" or "SHOP" or "WAREHOUSE" or "MASTER" or "TEMPDB";

    private static string Text(SqlToken token) => token.Kind switch
    {
        SqlTokenKind.Text => "'" + token.Text.Replace("'", "''", StringComparison.Ordinal) + "'",
        SqlTokenKind.Name => "[" + token.Text + "]",
        SqlTokenKind.Word when token.Text.StartsWith('#') => "[" + token.Text + "]",
        SqlTokenKind.Variable when token.Text.StartsWith("@@", StringComparison.Ordinal) => "tds_" + token.Text[2..] + "()",
        SqlTokenKind.Number when token.Text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) => "x'" + token.Text[2..] + "'",
        _ => token.Text,
    };

    // The type of a column with IDENTITY is SQLite's, which counts; the constraint of the primary key then stands in the column.
    private string CreateTable()
    {
        var open = Find(0, tokens.Count, "(");
        var close = Closing(open);
        var columns = new List<string>();
        string? identity = null;
        for (var start = open + 1; start < close;)
        {
            var end = start;
            while (end < close && !tokens[end].Is(","))
            {
                end = tokens[end].Is("(") ? Closing(end) + 1 : end + 1;
            }

            if (Find(start, end, "IDENTITY") < end)
            {
                identity = tokens[start].Text;
                columns.Add($"[{identity}] INTEGER PRIMARY KEY AUTOINCREMENT");
            }
            else if (identity is null || Find(start, end, "PRIMARY") == end)
            {
                columns.Add(Scope(start, end));
            }

            start = end + 1;
        }

        var name = tokens[open - 1].Text;
        UsesTables = !name.StartsWith('#');
        return string.Create(
            CultureInfo.InvariantCulture, $"CREATE {(UsesTables ? "" : "TEMP ")}TABLE [{name}] ({string.Join(", ", columns)})");
    }

    // UPDATE alias SET alias.column = value FROM table AS alias WHERE condition
    private string UpdateByAlias(int from)
    {
        var (start, end) = (Find(0, from, "SET") + 1, Find(from, tokens.Count, "WHERE"));
        var changes = SqlToken.Split([.. tokens.Take(from).Skip(start)])
            .Select(change => new SqlTranslation(change[1].Is(".") ? change[2..] : change))
            .Select(change => change.Scope(0, change.Count));
        UsesTables = true;
        return $"UPDATE {Scope(from + 1, end)} SET {string.Join(", ", changes)} {Scope(end, tokens.Count)}";
    }

    // As EF Core inserts several rows: MERGE table USING (VALUES …) AS i (columns, _Position) ON 1=0
    // WHEN NOT MATCHED THEN INSERT (columns) VALUES (i.column, …) OUTPUT INSERTED.column, …, i._Position
    private string Merge()
    {
        UsesTables = true;
        var source = Find(0, Count, "USING") + 1;
        var names = Closing(source) + 3;
        var insert = Find(names, Count, "INSERT") + 1;
        var values = Closing(insert) + 2;
        var output = Find(values, Count, "OUTPUT");
        var given = SqlToken.Split([.. tokens.Take(Closing(names)).Skip(names + 1)])
            .Select((name, i) => string.Create(CultureInfo.InvariantCulture, $"column{i + 1} AS [{name[0].Text}]"));
        var returned = SqlToken.Split([.. tokens.Skip(output + 1)])
            .Select(column => column[^1].Text)
            .Select(name => name.Equals("_Position", StringComparison.Ordinal) ? "tds_position()" : $"[{name}]");
        return $"INSERT INTO {Scope(1, source - 1)} ({Scope(insert + 1, Closing(insert))}) " +
            $"SELECT {Scope(values + 1, Closing(values))} FROM (SELECT {string.Join(", ", given)} " +
            $"FROM ({Scope(source + 1, Closing(source))})) AS [{tokens[names - 1].Text}] RETURNING {string.Join(", ", returned)}";
    }

    private int Find(int from, int to, params ReadOnlySpan<string> words)
    {
        for (var i = from; i < to; i++)
        {
            foreach (var word in words)
            {
                if (tokens[i].Is(word))
                {
                    return i;
                }
            }
        }

        return to;
    }

    private int Closing(int open)
    {
        var depth = 0;
        for (var i = open; i < tokens.Count; i++)
        {
            depth += tokens[i].Is("(") ? 1 : tokens[i].Is(")") ? -1 : 0;
            if (depth == 0)
            {
                return i;
            }
        }

        throw new TdsError(102, "Incorrect syntax near '('.", endsBatch: true);
    }
}
