using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data.Providers.Resets;

/// <summary>Restores a SQLite connection to the state in which it was opened.</summary>
// Restores what can be restored; a connection on which anything else changed is destroyed, because opening a file is cheap.
internal sealed class SqliteReset : SessionReset
{
    private const string Probe = "poolhouse_reset";

    private static readonly string[] _restored =
    [
        "foreign_keys", "query_only", "recursive_triggers", "read_uncommitted", "busy_timeout", "cache_size", "synchronous",
        "temp_store",
        "defer_foreign_keys", "ignore_check_constraints", "reverse_unordered_selects",
    ];

    // Read one by one, because SQLite ignores an unknown pragma; as a table it would be an error.
    private static readonly string[] _watched =
    [
        "temp.schema_version", "journal_mode", "locking_mode", "automatic_index", "trusted_schema", "cell_size_check",
        "full_column_names", "short_column_names",
        "legacy_alter_table", "legacy_file_format", "writable_schema", "secure_delete", "mmap_size", "analysis_limit", "threads",
        "wal_autocheckpoint", "fullfsync",
        "checkpoint_fullfsync", "journal_size_limit", "max_page_count", "cache_spill", "count_changes", "empty_result_callbacks",
    ];

    // One row, then one more result for each watched pragma. busy_timeout names its column "timeout"; a star accepts any
    // name.
    private static readonly string _stateWithoutExtensions =
        "SELECT " + string.Join(", ", _restored.Select(name => $"(SELECT * FROM pragma_{name})")) +
        ", (SELECT coalesce(group_concat(name || ' ' || file, ';'), '') FROM pragma_database_list WHERE name NOT IN ('main', " +
        "'temp')), (SELECT coalesce(group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), ';'), '') FROM " +
        "sqlite_temp_master), 'a' LIKE 'A', last_insert_rowid()" +
        string.Concat(_watched.Select(name => "; PRAGMA " + name));

    internal override bool KeepsInitialization => true;

    // What the application has added to the connection, also by loading an extension. SQLite adds its own table-valued functions
    // when they are first used.
    private const string Extensions =
        "SELECT (SELECT group_concat(printf('%s/%d/%s/%s', name, narg, type, enc)) FROM pragma_function_list WHERE builtin = 0)," +
        " (SELECT group_concat(name) FROM pragma_collation_list), (SELECT group_concat(name) FROM pragma_module_list WHERE name " +
        "NOT LIKE 'pragma!_%' ESCAPE '!' AND name NOT LIKE 'json%')";

    private static readonly string _state = $"{_stateWithoutExtensions}; {Extensions}";

    // SQLite's queries and changes of rows have no effect on the connection itself, except for the rowid of an insert. Everything
    // else begins with another keyword (PRAGMA, ATTACH, BEGIN, SAVEPOINT, CREATE TEMP, DROP), or is one of two kinds of
    // functions.
    public override bool MayLeaveTraces(string statement) =>
        !PlainStatements.IsOne(statement)
        || statement.Contains("insert", StringComparison.OrdinalIgnoreCase)
        || statement.Contains("replace", StringComparison.OrdinalIgnoreCase)
        || CallsSessionFunction(statement);

    internal override bool MayChangeSession(string statement) =>
        !(PlainStatements.IsOne(statement) || PlainStatements.IsTransactionControl(statement)) || CallsSessionFunction(statement);

    public override async ValueTask<object?> CaptureAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        DisableExtensions(connection);
        var showsReaders = await HasNoReaderAsync(connection, cancellationToken).ConfigureAwait(false);
        if (!showsReaders)
        {
            await DetachAllAsync(connection, $"name = '{Probe}'", cancellationToken).ConfigureAwait(false);
        }

        var showsExtensions = await TryExecuteAsync(connection, Extensions, cancellationToken)
            .ConfigureAwait(false);
        return (await ReadStateAsync(connection, showsExtensions, cancellationToken).ConfigureAwait(false)) with
        {
            ShowsReaders = showsReaders,
            CommandTimeout = ReadCommandTimeout(connection),
        };
    }

    public override async ValueTask<bool> ResetAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        DisableExtensions(connection);
        if (captured is not State before
            || !TryRestoreCommandTimeout(connection, before.CommandTimeout)
            || !await TryRollbackAsync(connection, cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        return await RestoreAsync(connection, before, cancellationToken).ConfigureAwait(false)
            && (!before.ShowsReaders || await HasNoReaderAsync(connection, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Disables <c>load_extension</c>, which only a method of the provider enables, and no statement shows.</summary>
    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "A method that was trimmed away is one that the application cannot call either.")]
    private static void DisableExtensions(DbConnection connection) =>
        connection.GetType().GetMethod("EnableExtensions", [typeof(bool)])?.Invoke(connection, [false]);

    private static ValueTask<bool> TryRollbackAsync(DbConnection connection, CancellationToken cancellationToken) =>
        DbProviderProfile.For(connection.GetType()).TryRollbackAsync(connection, cancellationToken);

    private static int ReadCommandTimeout(DbConnection connection)
    {
        using var command = connection.CreateCommand();
        return command.CommandTimeout;
    }

    /// <summary>Restores the timeout of the commands that are created on the connection.</summary>
    // Both providers offer it as a property. In a trimmed application it may be missing: then nobody could have set it.
    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "A property that was trimmed away is one that the application cannot set either.")]
    private static bool TryRestoreCommandTimeout(DbConnection connection, int timeout)
    {
        if (ReadCommandTimeout(connection) == timeout)
        {
            return true;
        }

        connection.GetType().GetProperty("DefaultTimeout", typeof(int))?.SetValue(connection, timeout);
        return ReadCommandTimeout(connection) == timeout;
    }

    private static async ValueTask<bool> RestoreAsync(DbConnection connection, State before, CancellationToken cancellationToken)
    {
        var now = await ReadStateAsync(connection, before.ShowsExtensions, cancellationToken).ConfigureAwait(false);
        if (before.IsSame(now with { LastRowId = before.LastRowId }))
        {
            return await RestoreLastRowIdAsync(connection, before, now.LastRowId, cancellationToken).ConfigureAwait(false);
        }

        for (var i = 0; i < _restored.Length; i++)
        {
            if (now.Restored[i] != before.Restored[i])
            {
                await ExecuteAsync(
                    connection, string.Create(CultureInfo.InvariantCulture, $"PRAGMA {_restored[i]} = {before.Restored[i]}"),
                    cancellationToken).ConfigureAwait(false);
            }
        }

        if (before.Attached.Length == 0)
        {
            await DetachAllAsync(connection, "name NOT IN ('main', 'temp')", cancellationToken).ConfigureAwait(false);
        }

        if (before.Temporary.Length == 0)
        {
            await DropTemporaryAsync(connection, cancellationToken).ConfigureAwait(false);
        }

        // A connection that could not be restored, for instance because another statement holds a database, must not be reused.
        return await RestoreLastRowIdAsync(connection, before, now.LastRowId, cancellationToken).ConfigureAwait(false)
            && before.IsSame(
                await ReadStateAsync(connection, before.ShowsExtensions, cancellationToken).ConfigureAwait(false));
    }

    // The state with its pragmas takes a tenth of a millisecond to read, and most leases that must be reset have only changed
    // rows.
    internal override async ValueTask<bool> ResetRowsAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken) =>
        captured is State before
        && await TryRollbackAsync(connection, cancellationToken).ConfigureAwait(false)
        && await RestoreLastRowIdAsync(
            connection,
            before,
            await ReadAsync(connection, "SELECT last_insert_rowid()", cancellationToken).ConfigureAwait(false),
            cancellationToken).ConfigureAwait(false);

    private static bool CallsSessionFunction(string statement) =>
        statement.Contains("pragma_", StringComparison.OrdinalIgnoreCase)
            || statement.Contains("load_extension", StringComparison.OrdinalIgnoreCase);

    // It survives a rollback; nothing else does.
    private static async ValueTask<bool> RestoreLastRowIdAsync(
        DbConnection connection, State before, object? now, CancellationToken cancellationToken) =>
        before.LastRowId.Equals(now)
        || before.LastRowId.Equals(await ReadAsync(
            connection,
            string.Create(
                CultureInfo.InvariantCulture,
                $"BEGIN; CREATE TEMP TABLE poolhouse_reset (id INTEGER PRIMARY KEY); INSERT INTO temp.poolhouse_reset VALUES " +
                $"({before.LastRowId}); ROLLBACK; SELECT last_insert_rowid()"),
            cancellationToken).ConfigureAwait(false));

    /// <summary>
    /// Whether no reader is open that a user of the provider's own connection left behind: it holds its read transaction, in
    /// which the next user would read old rows and could not write.
    /// </summary>
    // SQLite has no query for that, but VACUUM fails while another statement is in progress. Here it copies an empty database in
    // memory. On a connection that cannot do that, for instance one with query_only, readers are not looked for.
    private static ValueTask<bool> HasNoReaderAsync(DbConnection connection, CancellationToken cancellationToken) =>
        TryExecuteAsync(
            connection, $"ATTACH ':memory:' AS {Probe}; VACUUM {Probe} INTO ':memory:'; DETACH {Probe}", cancellationToken);

    private static async ValueTask DetachAllAsync(DbConnection connection, string which, CancellationToken cancellationToken)
    {
        foreach (var name in await ReadNamesAsync(
            connection, $"SELECT name FROM pragma_database_list WHERE {which}", cancellationToken).ConfigureAwait(false))
        {
            await ExecuteAsync(connection, $"DETACH DATABASE {Quote(name)}", cancellationToken).ConfigureAwait(false);
        }
    }

    private static async ValueTask DropTemporaryAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        // Triggers before the tables that they belong to; indices are dropped with their tables.
        foreach (var drop in await ReadNamesAsync(
            connection,
            "SELECT type || ' temp.' || '\"' || replace(name, '\"', '\"\"') || '\"' FROM sqlite_temp_master WHERE type IN " +
            "('trigger', 'view', 'table') AND name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger' DESC, type = 'view' DESC",
            cancellationToken).ConfigureAwait(false))
        {
            await ExecuteAsync(connection, $"DROP {drop}", cancellationToken).ConfigureAwait(false);
        }
    }

    private static async ValueTask<State> ReadStateAsync(
        DbConnection connection, bool showsExtensions, CancellationToken cancellationToken)
    {
        var command = CreateCommand(connection, showsExtensions ? _state : _stateWithoutExtensions);
        await using (command.ConfigureAwait(false))
        {
            var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
                var restored = new long[_restored.Length];
                for (var i = 0; i < restored.Length; i++)
                {
                    restored[i] = reader.GetInt64(i);
                }

                var (attached, temporary) = (reader.GetString(restored.Length), reader.GetString(restored.Length + 1));
                var watched = new StringBuilder().Append(reader.GetInt64(restored.Length + 2));
                var lastRowId = reader.GetInt64(restored.Length + 3);
                while (await reader.NextResultAsync(cancellationToken).ConfigureAwait(false))
                {
                    var hasRow = await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
                    for (var i = 0; hasRow && i < reader.FieldCount; i++)
                    {
                        if (Watch(reader.GetName(i), reader.GetValue(i), temporary) is { } value)
                        {
                            watched.Append(CultureInfo.InvariantCulture, $";{reader.GetName(i)}={value}");
                        }
                    }
                }

                return new State(restored, attached, temporary, watched.ToString(), lastRowId)
                {
                    ShowsExtensions = showsExtensions
                };
            }
        }
    }

    // A table that its user created and dropped again changes the version of the temporary schema, which matters only where
    // tables were there before; and WAL is a setting of the database, which its users may change for all connections.
    private static object? Watch(string pragma, object value, string temporary) => pragma switch
    {
        "schema_version" when temporary.Length == 0 => null,
        "journal_mode" when value is "wal" or "delete" => "lasting",

        // Unless it is off, the value depends on the size of a page, which a VACUUM changes for all connections.
        "cache_spill" when value is not 0L => "on",
        _ => value,
    };

    private static async ValueTask<List<string>> ReadNamesAsync(
        DbConnection connection, string query, CancellationToken cancellationToken)
    {
        var command = CreateCommand(connection, query);
        await using (command.ConfigureAwait(false))
        {
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

    /// <summary>The captured state of a connection.</summary>
    private sealed record State(long[] Restored, string Attached, string Temporary, string Watched, long LastRowId)
    {
        /// <summary>Whether an open reader can be detected on the connection; only known of a captured state.</summary>
        public bool ShowsReaders { get; init; }

        /// <summary>Whether functions, collations and modules can be listed: SQLite may be built without that.</summary>
        public bool ShowsExtensions { get; init; }

        /// <summary>The timeout of new commands, in seconds; only known of a captured state.</summary>
        public int CommandTimeout { get; init; }

        public bool IsSame(State other) =>
            Restored.AsSpan().SequenceEqual(other.Restored)
            && LastRowId == other.LastRowId
            && string.Equals(Attached, other.Attached, StringComparison.Ordinal)
            && string.Equals(Temporary, other.Temporary, StringComparison.Ordinal)
            && string.Equals(Watched, other.Watched, StringComparison.Ordinal);
    }
}
