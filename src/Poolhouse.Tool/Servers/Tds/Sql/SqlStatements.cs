namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>Finds the statements of a batch, which need no separators between them.</summary>
internal sealed class SqlStatements(string sql)
{
    private static readonly HashSet<string> _starts = new(
        [
            "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "DROP", "TRUNCATE", "SET", "USE", "EXEC", "EXECUTE",
            "REVERT", "BEGIN", "COMMIT", "ROLLBACK", "SAVE", "IF", "WHILE", "RETURN", "WAITFOR", "RAISERROR", "THROW", "PRINT",
            "KILL", "DECLARE", "OPEN", "FETCH", "CLOSE", "DEALLOCATE",
        ],
        StringComparer.OrdinalIgnoreCase);

    private readonly List<SqlToken> _tokens = SqlToken.Read(sql);

    /// <summary>The next token to be read.</summary>
    public int Position { get; set; }

    public bool AtEnd => Position >= _tokens.Count;

    /// <summary>Whether the next tokens are these words.</summary>
    public bool IsAt(params ReadOnlySpan<string> words)
    {
        for (var i = 0; i < words.Length; i++)
        {
            if (Position + i >= _tokens.Count || !_tokens[Position + i].Is(words[i]))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Reads these words if they are the next tokens.</summary>
    public bool Take(params ReadOnlySpan<string> words)
    {
        var isAt = IsAt(words);
        Position += isAt ? words.Length : 0;
        return isAt;
    }

    public void SkipSeparators()
    {
        while (Take(";"))
        {
        }
    }

    /// <summary>Reads the condition of IF or WHILE.</summary>
    public List<SqlToken> TakeCondition() => TakeUntil((_, i) => IsStart(i));

    /// <summary>Reads a statement.</summary>
    public List<SqlToken> TakeStatement()
    {
        var first = Position++;
        return TakeUntil(
            (cases, i) => _tokens[i].Is(";") || (cases == 0 && (_tokens[i].Is("ELSE") || _tokens[i].Is("END")))
                || (IsStart(i) && !Continues(first, i)),
            first);
    }

    /// <summary>Skips to the words, past blocks of the same kind that are nested.</summary>
    public void SkipTo(string end, string block)
    {
        for (var depth = 0; !AtEnd; Position++)
        {
            if (IsAt(end, block) && depth-- == 0)
            {
                return;
            }

            depth += IsAt("BEGIN", block) ? 1 : 0;
        }

        throw new TdsError(102, $"Incorrect syntax: no {end} {block}.", endsBatch: true);
    }

    private List<SqlToken> TakeUntil(Func<int, int, bool> isEnd, int? first = null)
    {
        var from = first ?? Position;
        var (depth, cases) = (0, 0);
        for (; !AtEnd; Position++)
        {
            var token = _tokens[Position];
            if (depth == 0 && isEnd(cases, Position))
            {
                break;
            }

            depth += token.Is("(") ? 1 : token.Is(")") ? -1 : 0;
            cases += token.Is("CASE") ? 1 : token.Is("END") ? -1 : 0;
        }

        return _tokens[from..Position];
    }

    private bool IsStart(int i) => _tokens[i].Kind == SqlTokenKind.Word && _starts.Contains(_tokens[i].Text);

    private bool Continues(int first, int i)
    {
        var (start, token, before) = (_tokens[first], _tokens[i], _tokens[i - 1]);
        return token.Text.ToUpperInvariant() switch
        {
            _ when before.Is(".") || start.Is("MERGE") => true,
            "SELECT" => before.Is("UNION") || before.Is("ALL") || before.Is("EXCEPT") || before.Is("INTERSECT")
                || before.Is("FOR") || before.Is("AS") || ((start.Is("INSERT") || start.Is("WITH")) && IsFirst(first, i)),
            "SET" => start.Is("UPDATE") && IsFirst(first, i),
            "INSERT" or "UPDATE" or "DELETE" => start.Is("WITH") && IsFirst(first, i),
            "EXEC" or "EXECUTE" => start.Is("INSERT"),
            "FETCH" => before.Is("ROWS") || before.Is("ROW"),
            "IF" => start.Is("DROP"),
            _ => false,
        };
    }

    /// <summary>Whether no such word is between two tokens, outside of parentheses.</summary>
    private bool IsFirst(int first, int i)
    {
        var depth = 0;
        for (var each = first + 1; each < i; each++)
        {
            depth += _tokens[each].Is("(") ? 1 : _tokens[each].Is(")") ? -1 : 0;
            if (depth == 0 && _tokens[each].Is(_tokens[i].Text))
            {
                return false;
            }
        }

        return true;
    }
}
