using System.Globalization;
using Microsoft.Data.Sqlite;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>A statement that SQLite executes.</summary>
internal sealed class SqlTableStatement(SqlSession session, List<SqlToken> tokens, Dictionary<string, object?> variables)
{
    private const ushort Select = 0xC1;

    private readonly SqlTranslation _translation = new(tokens);

    /// <summary>Executes the statement.</summary>
    /// <param name="isOnlyDescribed">Whether the result has columns and no rows.</param>
    /// <param name="cancellation">Ends the wait for the tables.</param>
    /// <exception cref="TdsError">As SQL Server reports it.</exception>
    public async Task<SqlResult> RunAsync(bool isOnlyDescribed, CancellationToken cancellation)
    {
        var sql = _translation.ToSql();
        ushort command = tokens[0].Text.ToUpperInvariant() switch
        {
            "INSERT" or "MERGE" => 0xC3,
            "DELETE" or "TRUNCATE" => 0xC4,
            "UPDATE" => 0xC5,
            "CREATE" or "DROP" => 0xC6,
            _ => Select,
        };
        if (_translation.UsesTemporaryTables)
        {
            session.NoteTemporaryTable();
        }

        await session.EnterTablesAsync(command != Select, _translation.UsesTables, cancellation).ConfigureAwait(false);
        try
        {
            return Run(command, sql, isOnlyDescribed);
        }
        catch (SqliteException failure)
        {
            throw Translate(failure);
        }
        finally
        {
            session.LeaveTables();
        }
    }

    private SqlResult Run(ushort statement, string sql, bool isOnlyDescribed)
    {
        using var command = session.Tables.CreateCommand();
#pragma warning disable CA2100 // It is the client's statement, which may be any.
        command.CommandText = sql;
#pragma warning restore CA2100
        foreach (var variable in tokens.Where(IsParameter).Select(token => token.Text).Distinct(StringComparer.OrdinalIgnoreCase))
        {
            if (!variables.TryGetValue(variable, out var value))
            {
                throw new TdsError(137, $"Must declare the scalar variable \"{variable}\".", endsBatch: true);
            }

            command.Parameters.AddWithValue(variable, value ?? DBNull.Value);
        }

        session.RowsReturned = 0;
        using var reader = command.ExecuteReader();
        var limit = long.Parse(session.State.Settings["ROWCOUNT"], CultureInfo.InvariantCulture);
        var rows = new List<object?[]>();
        while (!isOnlyDescribed && reader.Read() && (limit == 0 || rows.Count < limit))
        {
            rows.Add([.. Enumerable.Range(0, reader.FieldCount).Select(i => reader.IsDBNull(i) ? null : reader.GetValue(i))]);
        }

        var casts = _translation.Casts();
        var columns = Enumerable.Range(0, reader.FieldCount).Select(i => new TdsColumn(
            SqlTranslation.ColumnName(reader.GetName(i)),
            TdsColumn.TypeOf(reader.GetDataTypeName(i), i < casts.Count ? casts[i] : null, rows, i))).ToList();
        reader.Close();
        return new SqlResult(statement, columns, rows, columns.Count > 0 ? rows.Count : Math.Max(0, reader.RecordsAffected));
    }

    private static bool IsParameter(SqlToken token) =>
        token.Kind == SqlTokenKind.Variable && !token.Text.StartsWith("@@", StringComparison.Ordinal);

    private TdsError Translate(SqliteException failure)
    {
        var text = failure.Message;
        bool Says(string part) => text.Contains(part, StringComparison.Ordinal);
        return failure.SqliteExtendedErrorCode switch
        {
            SQLitePCL.raw.SQLITE_CONSTRAINT_UNIQUE => new TdsError(2601, "Cannot insert a duplicate key: " + text, severity: 14),
            SQLitePCL.raw.SQLITE_CONSTRAINT_PRIMARYKEY => new TdsError(2627, "Violation of a primary key: " + text, severity: 14),
            SQLitePCL.raw.SQLITE_CONSTRAINT_NOTNULL => new TdsError(515, "Cannot insert NULL: " + text),
            SQLitePCL.raw.SQLITE_CONSTRAINT_FOREIGNKEY or SQLitePCL.raw.SQLITE_CONSTRAINT_CHECK =>
                new TdsError(547, "The statement conflicted with a constraint: " + text),
            _ when Says("no such table") => new TdsError(208, "Invalid object name: " + text, endsBatch: true),
            _ when Says("no such column") => new TdsError(207, "Invalid column name: " + text, endsBatch: true),
            _ when Says("already exists") => new TdsError(2714, "There is already an object: " + text),
            _ => TdsError.Unknown($"{string.Join(' ', tokens.Select(token => token.Text))} ({text})"),
        };
    }
}
