using Microsoft.Data.Sqlite;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>A session: its state, its temporary tables and its transaction.</summary>
/// <remarks>Members that return a copy are thread safe; the others belong to the task of the connection.</remarks>
internal sealed class SqlSession : IDisposable
{
    private const int ReadUncommitted = 1;
    private const int RepeatableRead = 3;
    private const int Serializable = 4;

    private readonly TdsServer _server;
    private volatile IReadOnlyList<string> _leftovers = [];
    private volatile bool _isBusy;
    private string? _transactionName;
    private bool _hasTransactionOfTables;
    private bool _mayHaveTemporaryTables;

    public SqlSession(TdsServer server, int id, TdsLogin login)
    {
        _server = server;
        Id = id;
        Login = login;
        State = new SessionState(login.DatabaseOrDefault, login.User);
        Tables = server.Store.Open();
        SqlFunctions.Register(this, server);
    }

    /// <summary>The identifier, as <c>@@SPID</c> returns it.</summary>
    public int Id { get; }

    public TdsLogin Login { get; }

    /// <summary>
    /// What was left in the session by the last request that was executed, by name: "transaction", "isolation level", "database",
    /// "context info", "session context", "user", a setting, a temporary table, a cursor, a lock, a prepared statement.
    /// </summary>
    /// <value>Empty for a session as a login makes it. Thread safe.</value>
    public IReadOnlyList<string> Leftovers => _leftovers;

    /// <summary>Whether a request is being executed. Thread safe.</summary>
    public bool IsBusy
    {
        get => _isBusy;
        set => _isBusy = value;
    }

    public IReadOnlySet<string> Databases => _server.Databases;

    internal SessionState State { get; }

    /// <summary>The rows that the statement has returned so far.</summary>
    internal long RowsReturned { get; set; }

    internal SqliteConnection Tables { get; }

    /// <summary>Resets the session as the flag of the protocol does: all but the isolation level.</summary>
    /// <exception cref="TdsError">18059: the session executes as another user, and ends.</exception>
    public void Reset(bool keepsTransaction, TdsResponse response)
    {
        if (State.Impersonated.Count > 0)
        {
            throw new TdsError(18059, "The connection was dropped: its user was changed before the reset.", severity: 20);
        }

        if (!keepsTransaction && State.TransactionCount > 0)
        {
            Rollback("", response);
        }

        foreach (var table in TemporaryTables())
        {
            Execute($"DROP TABLE temp.[{table}]");
        }

        _mayHaveTemporaryTables = false;
        _server.Store.UnlockAll(this);
        State.Reset();
        response.ChangeReset();
    }

    /// <summary>What remains after a request that its client cancelled: everything, unless XACT_ABORT is on.</summary>
    public void EndCancelled(TdsResponse response)
    {
        if (State.TransactionCount > 0 && State.IsOn("XACT_ABORT"))
        {
            Rollback("", response);
        }
    }

    public void SetIsolationLevel(int level)
    {
        if (level is > 0 and <= 5)
        {
            State.IsolationLevel = level;
            Execute($"PRAGMA read_uncommitted = {(level == ReadUncommitted ? 1 : 0)}");
        }
    }

    public void Begin(string name, TdsResponse response)
    {
        if (State.TransactionCount++ == 0)
        {
            _transactionName = name;
            State.TransactionId = _server.NextTransaction();
            response.ChangeTransaction(8, State.TransactionId, null);
        }
    }

    public void Commit(TdsResponse response)
    {
        if (State.TransactionCount == 0)
        {
            throw new TdsError(3902, "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.");
        }

        if (--State.TransactionCount == 0)
        {
            End("COMMIT");
            response.ChangeTransaction(9, null, State.TransactionId);
        }
    }

    /// <summary>Rolls back to a savepoint, or everything without a name or with that of the transaction.</summary>
    public void Rollback(string name, TdsResponse response)
    {
        if (State.TransactionCount == 0)
        {
            throw new TdsError(3903, "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.");
        }

        if (name.Length > 0 && !string.Equals(name, _transactionName, StringComparison.OrdinalIgnoreCase))
        {
            try
            {
                Execute($"ROLLBACK TO [{name}]");
                return;
            }
            catch (SqliteException)
            {
                throw new TdsError(6401, $"Cannot roll back {name}. No transaction or savepoint of that name was found.");
            }
        }

        State.TransactionCount = 0;
        End("ROLLBACK");
        response.ChangeTransaction(10, null, State.TransactionId);
    }

    public async Task SaveAsync(string name, CancellationToken cancellation)
    {
        if (State.TransactionCount == 0)
        {
            throw new TdsError(628, "Cannot issue SAVE TRANSACTION when there is no active transaction.");
        }

        await EnterTablesAsync(writes: true, usesTables: true, cancellation).ConfigureAwait(false);
        Execute($"SAVEPOINT [{name}]");
    }

    /// <summary>Takes the lock of the tables if a statement needs it; see <see cref="TableStore"/>.</summary>
    // SQLite's transaction begins with the first statement that writes: before that, it would lock what it has read.
    public async Task EnterTablesAsync(bool writes, bool usesTables, CancellationToken cancellation)
    {
        var isOpen = State.TransactionCount > 0;
        if ((usesTables || isOpen) && (writes || State.IsolationLevel != ReadUncommitted))
        {
            var milliseconds = int.Parse(State.Settings["LOCK_TIMEOUT"], System.Globalization.CultureInfo.InvariantCulture);
            await _server.Store.AcquireAsync(this, TimeSpan.FromMilliseconds(milliseconds), cancellation).ConfigureAwait(false);
        }

        if (isOpen && writes && !_hasTransactionOfTables)
        {
            Execute("BEGIN");
            _hasTransactionOfTables = true;
        }
    }

    /// <summary>Releases the lock of the tables unless the transaction holds it until its end.</summary>
    public void LeaveTables()
    {
        if (!_hasTransactionOfTables
            && (State.TransactionCount == 0 || State.IsolationLevel is not (RepeatableRead or Serializable)))
        {
            _server.Store.Release(this);
        }
    }

    /// <summary>Ends another session.</summary>
    public void Kill(int id)
    {
        if (id == Id)
        {
            throw new TdsError(6104, "Cannot use KILL to kill your own process.");
        }

        if (!_server.Kill(id))
        {
            throw new TdsError(6106, $"Process ID {id} is not an active process ID.");
        }
    }

    public bool TryLock(string resource) => _server.Store.TryLock(resource, this);

    public bool Unlock(string resource) => _server.Store.Unlock(resource, this);

    public void NoteTemporaryTable() => _mayHaveTemporaryTables = true;

    /// <summary>Executes a statement of SQLite that has no result.</summary>
    public void Execute(string sql)
    {
        using var command = Tables.CreateCommand();
#pragma warning disable CA2100 // The names in it are those of the client, which may execute anything.
        command.CommandText = sql;
#pragma warning restore CA2100
        command.ExecuteNonQuery();
    }

    /// <summary>Makes <see cref="Leftovers"/> those of now.</summary>
    public void Publish() => _leftovers = [.. FindLeftovers()];

    public void Dispose()
    {
        _server.Store.UnlockAll(this);
        Tables.Dispose();
        _server.Store.Release(this);
    }

    private IEnumerable<string> FindLeftovers()
    {
        (bool Is, string Name)[] parts =
        [
            (State.TransactionCount > 0, "transaction"),
            (State.IsolationLevel != SessionState.ReadCommitted, "isolation level"),
            (!State.Database.Equals(State.LoginDatabase, StringComparison.OrdinalIgnoreCase), "database"),
            (State.ContextInfo is not null, "context info"),
            (State.Context.Count > 0, "session context"),
            (State.Impersonated.Count > 0, "user"),
            (State.Prepared.Count > 0, "prepared statement"),
        ];
        return
        [
            .. parts.Where(part => part.Is).Select(part => part.Name),
            .. State.ChangedSettings,
            .. TemporaryTables(),
            .. State.Cursors.Keys.Select(name => "cursor " + name),
            .. _server.Store.LocksOf(this).Select(name => "lock " + name),
        ];
    }

    private List<string> TemporaryTables()
    {
        var names = new List<string>();
        if (_mayHaveTemporaryTables)
        {
            using var command = Tables.CreateCommand();
            command.CommandText = "SELECT name FROM temp.sqlite_master WHERE type = 'table'";
            using var reader = command.ExecuteReader();
            while (reader.Read())
            {
                names.Add(reader.GetString(0));
            }
        }

        return names;
    }

    private void End(string statement)
    {
        if (_hasTransactionOfTables)
        {
            _hasTransactionOfTables = false;
            Execute(statement);
        }

        _server.Store.Release(this);
    }
}
