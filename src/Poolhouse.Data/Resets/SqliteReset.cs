using System.Data.Common;
using System.Globalization;

namespace Poolhouse.Data;

/// <summary>Brings a SQLite connection back to the state in which it was opened.</summary>
internal sealed class SqliteReset : SessionReset
{
    private static readonly string[] _pragmas =
    [
        "foreign_keys", "query_only", "recursive_triggers", "read_uncommitted", "busy_timeout", "cache_size", "synchronous", "temp_store",
        "defer_foreign_keys", "ignore_check_constraints", "reverse_unordered_selects",
    ];

    // One row: each pragma, then how many databases are attached and how many temporary objects there are. busy_timeout names its column
    // "timeout"; a star takes it as it is called.
    private static readonly string _state =
        "SELECT " + string.Join(", ", _pragmas.Select(name => $"(SELECT * FROM pragma_{name})")) +
        ", (SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')), (SELECT count(*) FROM sqlite_temp_master)";

    // SQLite's queries and changes of rows have no effect on the connection itself. Everything that has begins with a word of its own (PRAGMA,
    // ATTACH, BEGIN, SAVEPOINT, CREATE TEMP, DROP), or is one of two kinds of functions.
    public override bool MayLeaveTraces(string statement) =>
        !PlainStatements.IsOne(statement)
        || statement.Contains("pragma_", StringComparison.OrdinalIgnoreCase)
        || statement.Contains("load_extension", StringComparison.OrdinalIgnoreCase);

    public override async ValueTask<object?> CaptureAsync(DbConnection connection, CancellationToken cancellationToken) =>
        await ReadStateAsync(connection, cancellationToken).ConfigureAwait(false);

    public override async ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        if (!await RollbackReset.TryRollbackAsync(connection, cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        var now = await ReadStateAsync(connection, cancellationToken).ConfigureAwait(false);
        if (captured is not long[] before || before.AsSpan().SequenceEqual(now))
        {
            return captured is long[];
        }

        for (var i = 0; i < _pragmas.Length; i++)
        {
            if (now[i] != before[i])
            {
                await ExecuteAsync(connection, string.Create(CultureInfo.InvariantCulture, $"PRAGMA {_pragmas[i]} = {before[i]}"), cancellationToken).ConfigureAwait(false);
            }
        }

        foreach (var name in await ReadNamesAsync(connection, "SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp')", cancellationToken).ConfigureAwait(false))
        {
            await ExecuteAsync(connection, $"DETACH DATABASE {Quote(name)}", cancellationToken).ConfigureAwait(false);
        }

        // Triggers before what they hang on; indices go with their tables.
        foreach (var drop in await ReadNamesAsync(
            connection,
            "SELECT type || ' temp.' || '\"' || replace(name, '\"', '\"\"') || '\"' FROM sqlite_temp_master WHERE type IN ('trigger', 'view', 'table') " +
            "AND name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger' DESC, type = 'view' DESC",
            cancellationToken).ConfigureAwait(false))
        {
            await ExecuteAsync(connection, $"DROP {drop}", cancellationToken).ConfigureAwait(false);
        }

        // What could not be put back, such as a database that another statement holds, must not be handed on.
        now = await ReadStateAsync(connection, cancellationToken).ConfigureAwait(false);
        return before.AsSpan().SequenceEqual(now);
    }

    private static async ValueTask<long[]> ReadStateAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        var command = connection.CreateCommand();
        await using (command.ConfigureAwait(false))
        {
#pragma warning disable CA2100 // The statements are constants of the resets.
            command.CommandText = _state;
#pragma warning restore CA2100
            var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
                var state = new long[reader.FieldCount];
                for (var i = 0; i < state.Length; i++)
                {
                    state[i] = reader.GetInt64(i);
                }

                return state;
            }
        }
    }

    private static async ValueTask<List<string>> ReadNamesAsync(DbConnection connection, string query, CancellationToken cancellationToken)
    {
        var command = connection.CreateCommand();
        await using (command.ConfigureAwait(false))
        {
#pragma warning disable CA2100 // The queries are constants of this file.
            command.CommandText = query;
#pragma warning restore CA2100
            var names = new List<string>();
            var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    names.Add(reader.GetString(0));
                }
            }

            return names;
        }
    }

    private static string Quote(string name) => "\"" + name.Replace("\"", "\"\"", StringComparison.Ordinal) + "\"";
}
