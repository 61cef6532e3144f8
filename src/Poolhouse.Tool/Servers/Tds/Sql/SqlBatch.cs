using System.Globalization;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>Executes a batch of Transact-SQL in a session.</summary>
internal sealed class SqlBatch(
    SqlSession session, TdsResponse response, Dictionary<string, object?> variables, CancellationToken cancellation)
{
    private readonly SqlSettings _settings = new(session, response);
    private SqlStatements _statements = new("");
    private TdsError? _caught;
    private int _tries;
    private bool _isOver;

    private SessionState State => session.State;

    /// <summary>Executes all statements; errors that end only their statement are in the response.</summary>
    /// <exception cref="TdsError">The batch was ended.</exception>
    public async Task RunAsync(string sql)
    {
        _statements = new SqlStatements(sql);
        for (_statements.SkipSeparators(); !_statements.AtEnd && !_isOver; _statements.SkipSeparators())
        {
            await RunNextAsync(isReached: true).ConfigureAwait(false);
        }
    }

    private async Task RunNextAsync(bool isReached)
    {
        _statements.SkipSeparators();
        if (_statements.Take("IF"))
        {
            var condition = _statements.TakeCondition();
            var isTrue = isReached && await IsTrueAsync(condition).ConfigureAwait(false);
            await RunNextAsync(isTrue).ConfigureAwait(false);
            var afterwards = _statements.Position;
            _statements.SkipSeparators();
            if (_statements.Take("ELSE"))
            {
                await RunNextAsync(isReached && !isTrue).ConfigureAwait(false);
            }
            else
            {
                _statements.Position = afterwards;
            }
        }
        else if (_statements.Take("WHILE"))
        {
            await LoopAsync(isReached).ConfigureAwait(false);
        }
        else if (_statements.Take("BEGIN", "TRY"))
        {
            await TryAsync(isReached).ConfigureAwait(false);
        }
        else if (_statements.IsAt("BEGIN") && !_statements.IsAt("BEGIN", "TRAN") && !_statements.IsAt("BEGIN", "TRANSACTION"))
        {
            _statements.Position++;
            await RunToEndAsync(isReached).ConfigureAwait(false);
        }
        else
        {
            var statement = _statements.TakeStatement();
            if (isReached && !_isOver)
            {
                await RunSimpleAsync(statement).ConfigureAwait(false);
            }
        }
    }

    private async Task RunToEndAsync(bool isReached)
    {
        for (_statements.SkipSeparators(); !_statements.Take("END"); _statements.SkipSeparators())
        {
            if (_statements.AtEnd)
            {
                throw new TdsError(102, "Incorrect syntax: no END.", endsBatch: true);
            }

            await RunNextAsync(isReached).ConfigureAwait(false);
        }
    }

    private async Task LoopAsync(bool isReached)
    {
        var start = _statements.Position;
        bool isTrue;
        do
        {
            cancellation.ThrowIfCancellationRequested();
            _statements.Position = start;
            isTrue = await IsTrueAsync(_statements.TakeCondition()).ConfigureAwait(false) && isReached && !_isOver;
            await RunNextAsync(isTrue).ConfigureAwait(false);
        }
        while (isTrue);
    }

    private async Task TryAsync(bool isReached)
    {
        var hasFailed = false;
        _tries++;
        try
        {
            await RunToEndAsync(isReached).ConfigureAwait(false);
        }
        catch (TdsError error) when (error.Severity < 20)
        {
            (_caught, hasFailed) = (error, true);
            _statements.SkipTo("END", "TRY");
            _statements.Take("END");
        }
        finally
        {
            _tries--;
        }

        if (!_statements.Take("TRY", "BEGIN", "CATCH"))
        {
            throw new TdsError(102, "Incorrect syntax: no BEGIN CATCH after END TRY.", endsBatch: true);
        }

        await RunToEndAsync(isReached && hasFailed).ConfigureAwait(false);
        _statements.Take("CATCH");
    }

    private async Task<bool> IsTrueAsync(List<SqlToken> condition)
    {
        var value = await EvaluateAsync(
            [
                new(SqlTokenKind.Word, "CASE"), new(SqlTokenKind.Word, "WHEN"), .. condition, new(SqlTokenKind.Word, "THEN"),
                new(SqlTokenKind.Number, "1"), new(SqlTokenKind.Word, "ELSE"), new(SqlTokenKind.Number, "0"),
                new(SqlTokenKind.Word, "END"),
            ]).ConfigureAwait(false);
        return value is 1L;
    }

    private async Task<object?> EvaluateAsync(List<SqlToken> expression)
    {
        var table = new SqlTableStatement(session, [new(SqlTokenKind.Word, "SELECT"), .. expression], variables);
        var result = await table.RunAsync(isOnlyDescribed: false, cancellation).ConfigureAwait(false);
        return result.Rows is [var row, ..] ? row[0] : null;
    }

    private async Task RunSimpleAsync(List<SqlToken> statement)
    {
        try
        {
            if (_settings.IsExecuted(statement))
            {
                await ExecuteAsync(statement).ConfigureAwait(false);
            }

            State.LastError = 0;
        }
        catch (TdsError error)
        {
            State.LastError = error.Number;
            if (State.TransactionCount > 0 && (error.Number == 1205 || State.IsOn("XACT_ABORT")))
            {
                session.Rollback("", response);
                _isOver = _tries == 0;
            }

            if (_tries > 0 || error.EndsBatch)
            {
                throw;
            }

            response.Error(error);
        }
    }

    private async Task ExecuteAsync(List<SqlToken> statement)
    {
        var second = statement.Count > 1 ? statement[1] : default;
        switch (statement[0].Text.ToUpperInvariant())
        {
            case "SELECT" when second.Kind == SqlTokenKind.Variable && statement.Count > 2 && statement[2].Is("="):
                await AssignAsync(second.Text, statement[3..]).ConfigureAwait(false);
                break;
            case "SELECT" or "INSERT" or "UPDATE" or "DELETE" or "CREATE" or "DROP" or "TRUNCATE" or "MERGE" or "WITH":
                await RunOnTablesAsync(statement).ConfigureAwait(false);
                break;
            case "SET" when second.Kind == SqlTokenKind.Variable:
                await AssignAsync(second.Text, statement[3..]).ConfigureAwait(false);
                break;
            case "DECLARE":
                await DeclareAsync(statement).ConfigureAwait(false);
                break;
            case "EXEC" or "EXECUTE":
                await CallAsync(statement[1..]).ConfigureAwait(false);
                break;
            case "WAITFOR" when second.Is("DELAY"):
                var delay = TimeSpan.Parse(Text(statement[2]), CultureInfo.InvariantCulture);
                await Task.Delay(delay, TimeProvider.System, cancellation).ConfigureAwait(false);
                break;
            case "SAVE":
                await session.SaveAsync(statement[^1].Text, cancellation).ConfigureAwait(false);
                break;
            case "RAISERROR":
                Raise(statement);
                break;
            case "THROW":
                throw statement.Count == 1 && _caught is not null
                    ? _caught
                    : new TdsError(int.Parse(second.Text, CultureInfo.InvariantCulture), Text(statement[3]), endsBatch: true);
            case "PRINT":
                response.Message(isError: false, 0, 0, 1, Text(second));
                break;
            case "RETURN":
                _isOver = true;
                break;
            default:
                _settings.Run(statement);
                break;
        }
    }

    private async Task RunOnTablesAsync(List<SqlToken> statement)
    {
        if (State.IsOn("IMPLICIT_TRANSACTIONS") && State.TransactionCount == 0
            && statement.Exists(token => token.Is("FROM") || token.Is("INTO")))
        {
            session.Begin("", response);
        }

        var table = new SqlTableStatement(session, statement, variables);
        var result = await table.RunAsync(State.IsOn("FMTONLY"), cancellation).ConfigureAwait(false);
        if (result.Columns.Count > 0)
        {
            response.Rows(result.Columns, result.Rows);
        }

        State.LastRowCount = result.Count;
        response.StatementDone(result.Command, State.IsOn("NOCOUNT") ? null : result.Count);
    }

    private async Task AssignAsync(string variable, List<SqlToken> expression) =>
        variables[variable] = await EvaluateAsync(expression).ConfigureAwait(false);

    // DECLARE @a INT = 1, @b NVARCHAR(10); DECLARE c CURSOR … FOR SELECT …
    private async Task DeclareAsync(List<SqlToken> statement)
    {
        if (statement.Count > 2 && statement.Exists(token => token.Is("CURSOR")))
        {
            State.Cursors[statement[1].Text] = false;
            return;
        }

        foreach (var declaration in SqlToken.Split(statement[1..]))
        {
            var equals = declaration.FindIndex(token => token.Is("="));
            variables[declaration[0].Text] =
                equals < 0 ? null : await EvaluateAsync(declaration[(equals + 1)..]).ConfigureAwait(false);
        }
    }

    private async Task CallAsync(List<SqlToken> call)
    {
        if (call[0].Is("AS"))
        {
            State.Impersonated.Push(call[^1].Text);
            return;
        }

        if (call[0].Is("("))
        {
            var text = Convert.ToString(await EvaluateAsync(call[1..^1]).ConfigureAwait(false), CultureInfo.InvariantCulture)!;
            await new SqlBatch(session, response, [], cancellation).RunAsync(text).ConfigureAwait(false);
            return;
        }

        var result = call.Count > 2 && call[1].Is("=") ? call[0].Text : null;
        call = result is null ? call : call[2..];
        var nameEnd = 1;
        while (nameEnd + 1 < call.Count && call[nameEnd].Is("."))
        {
            nameEnd += 2;
        }

        var arguments = new List<SqlCall.Argument>();
        foreach (var argument in SqlToken.Split(call[nameEnd..]))
        {
            var isNamed = argument.Count > 2 && argument[1].Is("=");
            var value = isNamed ? argument[2..] : argument;
            value = value.FindAll(token => !token.Is("OUTPUT") && !token.Is("OUT"));
            var constant = value is [var only] && only.Kind == SqlTokenKind.Word && !only.Is("NULL") ? only.Text : null;
            arguments.Add(new SqlCall.Argument(
                isNamed ? argument[0].Text : "", constant ?? await EvaluateAsync(value).ConfigureAwait(false)));
        }

        var procedure = new SqlCall(call[nameEnd - 1].Text, arguments);
        var status = await procedure.RunAsync(session, response, cancellation).ConfigureAwait(false);
        if (result is not null)
        {
            variables[result] = (long)status;
        }
    }

    // RAISERROR('text', 16, 1) WITH NOWAIT
    private void Raise(List<SqlToken> statement)
    {
        var parts = SqlToken.Split(statement[2..statement.FindLastIndex(token => token.Is(")"))]);
        var severity = byte.Parse(parts[1][0].Text, CultureInfo.InvariantCulture);
        var state = byte.Parse(parts[2][0].Text, CultureInfo.InvariantCulture);
        if (severity <= 10)
        {
            response.Message(isError: false, 50000, severity, state, Text(parts[0][0]));
            return;
        }

        throw new TdsError(50000, Text(parts[0][0]), severity) { State = state };
    }

    private string Text(SqlToken token) => token.Kind == SqlTokenKind.Variable
        ? Convert.ToString(variables[token.Text], CultureInfo.InvariantCulture)!
        : token.Text;
}
