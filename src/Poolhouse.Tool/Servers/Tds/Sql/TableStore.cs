using Microsoft.Data.Sqlite;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>
/// The tables of the server, in SQLite's memory, and one lock for them all: a session that writes in a transaction holds it until
/// the end of the transaction, and so does one that reads in REPEATABLE READ or SERIALIZABLE. Other sessions wait, readers
/// as well, as they do at READ COMMITTED for uncommitted rows.
/// </summary>
internal sealed class TableStore : IDisposable
{
    private static int _stores;

    private readonly string _name = $"tds{Interlocked.Increment(ref _stores)}";
    private readonly SqliteConnection _keepsMemory;
    private readonly Lock _lock = new();
    private readonly Dictionary<string, object> _applicationLocks = new(StringComparer.Ordinal);
    private TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private object? _holder;

    public TableStore()
    {
        _keepsMemory = Open();
    }

    public SqliteConnection Open()
    {
        var connection = new SqliteConnection($"Data Source={_name};Mode=Memory;Cache=Shared;Pooling=False;Default Timeout=1");
        connection.Open();
        return connection;
    }

    /// <summary>Waits for the lock.</summary>
    /// <exception cref="TdsError">1222: not within the session's LOCK_TIMEOUT.</exception>
    public async Task AcquireAsync(object session, TimeSpan timeout, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task released;
            lock (_lock)
            {
                if (_holder is null || ReferenceEquals(_holder, session))
                {
                    _holder = session;
                    return;
                }

                released = _released.Task;
            }

            try
            {
                await released.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                throw new TdsError(1222, "Lock request time out period exceeded.");
            }
        }
    }

    public void Release(object session)
    {
        lock (_lock)
        {
            if (ReferenceEquals(_holder, session))
            {
                _holder = null;
                _released.TrySetResult();
                _released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }
        }
    }

    public bool TryLock(string resource, object session)
    {
        lock (_lock)
        {
            return _applicationLocks.TryAdd(resource, session) || ReferenceEquals(_applicationLocks[resource], session);
        }
    }

    public bool IsLockedBy(string resource, object session)
    {
        lock (_lock)
        {
            return _applicationLocks.TryGetValue(resource, out var owner) && ReferenceEquals(owner, session);
        }
    }

    public IReadOnlyList<string> LocksOf(object session)
    {
        lock (_lock)
        {
            return [.. _applicationLocks.Where(held => ReferenceEquals(held.Value, session)).Select(held => held.Key)];
        }
    }

    public bool Unlock(string resource, object session)
    {
        lock (_lock)
        {
            return IsLockedBy(resource, session) && _applicationLocks.Remove(resource);
        }
    }

    public void UnlockAll(object session)
    {
        lock (_lock)
        {
            foreach (var resource in LocksOf(session))
            {
                _applicationLocks.Remove(resource);
            }
        }
    }

    public void Dispose() => _keepsMemory.Dispose();
}
