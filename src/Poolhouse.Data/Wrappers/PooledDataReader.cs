using System.Collections;
using System.Collections.ObjectModel;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>A reader of one lease, which closes the wrapper of its connection if requested.</summary>
// Invariants
//   _inner is the provider's reader while this one is open, and null afterwards: providers use one reader object repeatedly, so a
//     closed wrapper must not reach it (I9)
//   it is in the list of wrappers bound to the lease exactly while it is open; EndUnread leaves it there
// Order of writes
//   Every call that reads through the provider writes _isBusy, reads _inner, and after the call clears _isBusy and reads
//   _borrowedUse,
//   without a fence: there is such a call for each row and each column. The connection's Close, which may run on another thread
//   by its user's mistake, counts the reader as a use of the connection (_borrowedUse), clears _inner, makes every processor
//   execute a fence, and only then reads _isBusy. So either the call finds the reader closed, or Close finds the call; then the
//   connection is destroyed, but not before the call has ended and released the use.
//   A Close during the execution sees the execution, not the reader, and destroys the connection. The executing thread adds the
//   reader to the list, ends the execution, and then reads whether the connection was closed: if so, it closes the reader itself
//   (EndUnread). A Close that began after the execution may do so too, or finds it closed; then the connection is destroyed.
internal sealed partial class PooledDataReader : DbDataReader, IDbColumnSchemaGenerator, ILeaseBound
{
    private readonly PooledConnection _connection;
    private readonly PhysicalConnection _physical;
    private readonly IExecutable? _owner;
    private DbDataReader? _inner;
    private int _recordsAffected;
    private int _borrowedUse;
    private bool _closesConnection;
    private bool _hasHandedOut;
    private bool _isBusy;

    /// <param name="connection">The wrapper.</param>
    /// <param name="physical">The connection that it leases.</param>
    /// <param name="inner">The provider's reader.</param>
    /// <param name="owner">The command or batch that was executed; null for the reader of a column.</param>
    /// <param name="closesConnection">Whether the wrapper is closed with the reader.</param>
    public PooledDataReader(
        PooledConnection connection, PhysicalConnection physical, DbDataReader inner, IExecutable? owner, bool closesConnection)
    {
        _connection = connection;
        _physical = physical;
        _inner = inner;
        _owner = owner;
        _closesConnection = closesConnection;
        physical.Bound.Add(this);
    }

    public ILeaseBound? NextBound { get; set; }

    public bool IsIdle => false;

    public override bool IsClosed => _inner is not { IsClosed: false };

    public override int RecordsAffected => _inner?.RecordsAffected ?? _recordsAffected;

    private DbDataReader Inner => _inner ?? throw Closed();

    public override bool Read() => Advance(static inner => inner.Read());

    public override bool NextResult() => Advance(static inner => inner.NextResult());

    public override Task<bool> ReadAsync(CancellationToken cancellationToken) =>
        AdvanceAsync(static (inner, token) => inner.ReadAsync(token), cancellationToken);

    public override Task<bool> NextResultAsync(CancellationToken cancellationToken) =>
        AdvanceAsync(static (inner, token) => inner.NextResultAsync(token), cancellationToken);

    public override void Close()
    {
        if (!TryEnter(out var inner))
        {
            return;
        }

        try
        {
            inner.Dispose();
        }
        catch (Exception failure) when (ObserveFailure(failure))
        {
            throw;
        }
        finally
        {
            if (EndReading(inner))
            {
                _connection.Close();
            }
        }
    }

    public override async Task CloseAsync() => await DisposeAsync().ConfigureAwait(false);

    public override async ValueTask DisposeAsync()
    {
        if (TryEnter(out var inner))
        {
            try
            {
                await inner.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception failure) when (ObserveFailure(failure))
            {
                throw;
            }
            finally
            {
                if (EndReading(inner))
                {
                    await _connection.CloseAsync().ConfigureAwait(false);
                }
            }
        }

        await base.DisposeAsync().ConfigureAwait(false);
    }

    public bool TryDetach(PhysicalConnection physical)
    {
        // A call on another thread that closes it may not have ended yet, although it is closed by now.
        var inner = _inner;
        var isClosed = _owner is not null && inner is { IsClosed: true };

        // See the order of writes. Before the reader is closed: the call releases the use as soon as it sees that.
        physical.BeginUse();
        Volatile.Write(ref _borrowedUse, 1);
        _recordsAffected = -1;
        _closesConnection = false;
        Volatile.Write(ref _inner, null);
        Interlocked.MemoryBarrierProcessWide();
        if (Volatile.Read(ref _isBusy) || !TryGiveBack() || inner is null)
        {
            return false;
        }

        // The reader of a column is closed together with its parent.
        if (isClosed || _owner is null)
        {
            return true;
        }

        // One reader is left to the reset. A session with several readers, or with a stream that may still be read, is destroyed
        // instead.
        if (_hasHandedOut || (physical.Reset.IsNone && physical.Enlistment is null) || physical.OpenReader is not null)
        {
            return false;
        }

        physical.OpenReader = new OpenReader(inner, _owner.SetAside());
        return true;
    }

    /// <summary>
    /// Closes the reader, which no caller has yet, because the connection was closed during the execution. The provider's reader
    /// is closed with its connection.
    /// </summary>
    public void EndUnread()
    {
        _recordsAffected = -1;
        Volatile.Write(ref _inner, null);
    }

    /// <summary>Returns the provider's reader.</summary>
    public DbDataReader Unwrap() =>
        _inner ?? throw new InvalidOperationException("The reader is closed. Unwrap it while it is open.");

    public ReadOnlyCollection<DbColumn> GetColumnSchema()
    {
        using var call = Begin();
        return call.Inner is IDbColumnSchemaGenerator generator
            ? generator.GetColumnSchema()
#pragma warning disable VSTHRD002 // The base class makes it from the schema table, without waiting.
            : call.Inner.GetColumnSchemaAsync(CancellationToken.None).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

    public override Task<ReadOnlyCollection<DbColumn>> GetColumnSchemaAsync(CancellationToken cancellationToken = default) =>
        CallAsync(0, static (_, inner, _, token) => inner.GetColumnSchemaAsync(token), cancellationToken);

    public override DataTable? GetSchemaTable()
    {
        using var call = Begin();
        return call.Inner.GetSchemaTable();
    }

    public override Task<DataTable?> GetSchemaTableAsync(CancellationToken cancellationToken = default) =>
        CallAsync(0, static (_, inner, _, token) => inner.GetSchemaTableAsync(token), cancellationToken);

    [UnconditionalSuppressMessage(
        "Trimming", "IL2026", Justification = "It describes columns by the types that the provider names.")]
    public override IEnumerator GetEnumerator() => new DbEnumerator(this);

    protected override DbDataReader GetDbDataReader(int ordinal)
    {
        using var call = Begin();
        return new PooledDataReader(_connection, _physical, call.Inner.GetData(ordinal), owner: null, closesConnection: false);
    }

    /// <summary>Begins a call to the provider's reader; <see cref="Leave"/> ends it.</summary>
    private DbDataReader Enter() => TryEnter(out var inner) ? inner : throw Closed();

    private bool TryEnter([NotNullWhen(true)] out DbDataReader? inner)
    {
        Volatile.Write(ref _isBusy, value: true);
        inner = Volatile.Read(ref _inner);
        if (inner is null)
        {
            Leave();
        }

        return inner is not null;
    }

    private void Leave()
    {
        Volatile.Write(ref _isBusy, value: false);
        if (Volatile.Read(ref _borrowedUse) != 0)
        {
            TryGiveBack();
        }
    }

    private Call Begin() => new(this, Enter());

    /// <summary>Ends the use that a close of the connection has counted; false if the other thread has done so.</summary>
    private bool TryGiveBack()
    {
        if (Interlocked.Exchange(ref _borrowedUse, 0) == 0)
        {
            return false;
        }

        _physical.EndUse();
        return true;
    }

    private bool Advance(Func<DbDataReader, bool> advance)
    {
        var inner = Enter();
        try
        {
            _hasHandedOut = false;
            return advance(inner);
        }
        catch (Exception failure) when (ObserveFailure(failure))
        {
            throw;
        }
        finally
        {
            Leave();
        }
    }

    private Task<bool> AdvanceAsync(
        Func<DbDataReader, CancellationToken, Task<bool>> advance, CancellationToken cancellationToken) =>
        CallAsync(
            advance,
            static (reader, inner, advance, token) =>
            {
                reader._hasHandedOut = false;
                return advance(inner, token);
            },
            cancellationToken);

    private Task<T> CallAsync<TArgs, T>(
        TArgs args,
        Func<PooledDataReader, DbDataReader, TArgs, CancellationToken, Task<T>> read,
        CancellationToken cancellationToken)
    {
        var inner = Enter();
        try
        {
            return TrackAsync(read(this, inner, args, cancellationToken), cancellationToken);
        }
        catch (Exception failure) when (Failed(failure, cancellationToken))
        {
            throw;
        }
    }

    private void NoteValue<T>()
    {
        if (typeof(T) == typeof(Stream) || typeof(T) == typeof(TextReader))
        {
            NoteHandedOut();
        }
    }

    private T HandOut<T>(T part)
    {
        NoteHandedOut();
        return part;
    }

    // Its user may continue to read on another thread, undetected, and keep it after the reader: a stream of SQLite holds a read
    // transaction, which only a reset of the whole session detects.
    private void NoteHandedOut()
    {
        _physical.Touch();
        _hasHandedOut = true;
    }

    /// <summary>Ends a call, or has its task end it.</summary>
    private Task<T> TrackAsync<T>(Task<T> reading, CancellationToken cancellationToken)
    {
        if (!reading.IsCompletedSuccessfully)
        {
            return WatchAsync(reading, cancellationToken);
        }

        Leave();
        return reading;
    }

    private async Task<T> WatchAsync<T>(Task<T> reading, CancellationToken cancellationToken)
    {
        try
        {
            return await reading.ConfigureAwait(false);
        }
        catch (Exception failure) when (ObserveFailure(failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            Leave();
        }
    }

    private bool ObserveFailure(Exception failure, CancellationToken cancellationToken = default) =>
        _connection.ObserveFailure(_physical, failure, cancellationToken);

    private bool Failed(Exception failure, CancellationToken cancellationToken)
    {
        try
        {
            return ObserveFailure(failure, cancellationToken);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Called when the provider's reader was closed. True if the connection must be closed now.</summary>
    private bool EndReading(DbDataReader inner)
    {
        if (_inner is null)
        {
            // The connection was closed meanwhile.
            Leave();
            return false;
        }

        _inner = null;
        _recordsAffected = RecordsOf(inner);
        _physical.Bound.Remove(this);
        _owner?.ReaderClosed(_physical);
        Leave();

        // The connection may have been closed and opened again meanwhile, while a statement on another thread kept this reader.
        return _closesConnection && _connection.Physical == _physical;
    }

    // Complete only after the last result was passed; some providers do not report it later.
    private static int RecordsOf(DbDataReader closed)
    {
        try
        {
            return closed.RecordsAffected;
        }
        catch (InvalidOperationException)
        {
            return -1;
        }
    }

    private static InvalidOperationException Closed() =>
        new("The reader is closed. Read from it before it is disposed and before its connection is closed.");

    private readonly ref struct Call(PooledDataReader reader, DbDataReader inner)
    {
        public DbDataReader Inner => inner;

        public void Dispose() => reader.Leave();
    }
}
