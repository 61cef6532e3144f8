using System.Collections;
using System.Collections.ObjectModel;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Data;

/// <summary>A reader of one lease, which closes the wrapper of its connection where it is asked to.</summary>
// Invariants
//   _inner is the provider's reader while this one is open, and the closed reader afterwards: providers use one reader object
//   again and again, so a closed wrapper must not look at it (I9). Columns are therefore read without asking anything first. it
//   is in the list of what is bound to the lease exactly while it is open
internal sealed partial class PooledDataReader : DbDataReader, IDbColumnSchemaGenerator, ILeaseBound
{
    private readonly PooledConnection _connection;
    private readonly PhysicalConnection _physical;
    private readonly bool _isNested;
    private DbDataReader _inner;
    private int _recordsAffected;
    private bool _closesConnection;

    // Written without a fence: it only tells a thread that closes the connection under a running call, which is a mistake anyway.
    private bool _isBusy;

    public PooledDataReader(
        PooledConnection connection, PhysicalConnection physical, DbDataReader inner, bool closesConnection, bool isNested = false)
    {
        _connection = connection;
        _physical = physical;
        _inner = inner;
        _closesConnection = closesConnection;
        _isNested = isNested;
        physical.Bound.Add(this);
    }

    public ILeaseBound? NextBound { get; set; }

    public override bool IsClosed => _inner.IsClosed;

    public override int RecordsAffected => _inner is ClosedReader ? _recordsAffected : _inner.RecordsAffected;

    public override bool Read()
    {
        _isBusy = true;
        try
        {
            return _inner.Read();
        }
        catch (Exception failure) when (_connection.Saw(_physical, failure))
        {
            throw;
        }
        finally
        {
            _isBusy = false;
        }
    }

    public override bool NextResult()
    {
        _isBusy = true;
        try
        {
            return _inner.NextResult();
        }
        catch (Exception failure) when (_connection.Saw(_physical, failure))
        {
            throw;
        }
        finally
        {
            _isBusy = false;
        }
    }

    public override Task<bool> ReadAsync(CancellationToken cancellationToken)
    {
        _isBusy = true;
        try
        {
            var reading = _inner.ReadAsync(cancellationToken);
            if (!reading.IsCompletedSuccessfully)
            {
                return WatchAsync(reading, cancellationToken);
            }

            _isBusy = false;
            return reading;
        }
        catch (Exception failure) when (Failed(failure, cancellationToken))
        {
            throw;
        }
    }

    public override Task<bool> NextResultAsync(CancellationToken cancellationToken)
    {
        _isBusy = true;
        try
        {
            var reading = _inner.NextResultAsync(cancellationToken);
            if (!reading.IsCompletedSuccessfully)
            {
                return WatchAsync(reading, cancellationToken);
            }

            _isBusy = false;
            return reading;
        }
        catch (Exception failure) when (Failed(failure, cancellationToken))
        {
            throw;
        }
    }

    public override void Close()
    {
        var inner = _inner;
        if (inner is ClosedReader)
        {
            return;
        }

        _isBusy = true;
        try
        {
            inner.Dispose();
        }
        catch (Exception failure) when (_connection.Saw(_physical, failure))
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
        var inner = _inner;
        if (inner is not ClosedReader)
        {
            _isBusy = true;
            try
            {
                await inner.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception failure) when (_connection.Saw(_physical, failure))
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

    public bool LetGo(PhysicalConnection physical)
    {
        var inner = _inner;
        _inner = ClosedReader.Instance;
        _recordsAffected = -1;
        _closesConnection = false;
        if (_isNested || inner.IsClosed)
        {
            return true;
        }

        // One reader is left to the reset. A session with several, or one that another thread reads, is not worth saving.
        if (_isBusy || physical.Reset.IsNone || physical.OpenReader is not null)
        {
            return false;
        }

        physical.OpenReader = inner;
        return true;
    }

    /// <summary>The provider's reader.</summary>
    public DbDataReader Unwrap() =>
        _inner is ClosedReader
            ? throw new InvalidOperationException("The reader is closed. Unwrap it while it is open.")
            : _inner;

    public ReadOnlyCollection<DbColumn> GetColumnSchema() =>
        _inner is IDbColumnSchemaGenerator generator
            ? generator.GetColumnSchema()
#pragma warning disable VSTHRD002 // The base class makes it from the schema table, without waiting.
            : _inner.GetColumnSchemaAsync().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002

    public override Task<ReadOnlyCollection<DbColumn>> GetColumnSchemaAsync(CancellationToken cancellationToken = default) =>
        _inner.GetColumnSchemaAsync(cancellationToken);

    public override DataTable? GetSchemaTable() => _inner.GetSchemaTable();

    public override Task<DataTable?> GetSchemaTableAsync(CancellationToken cancellationToken = default) =>
        _inner.GetSchemaTableAsync(cancellationToken);

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "It describes columns by the types that the provider names.")]
    public override IEnumerator GetEnumerator() => new DbEnumerator(this);

    protected override DbDataReader GetDbDataReader(int ordinal) =>
        new PooledDataReader(_connection, _physical, _inner.GetData(ordinal), closesConnection: false, isNested: true);

    private async Task<T> WatchAsync<T>(Task<T> reading, CancellationToken cancellationToken)
    {
        try
        {
            return await reading.ConfigureAwait(false);
        }
        catch (Exception failure) when (_connection.Saw(_physical, failure, cancellationToken))
        {
            throw;
        }
        finally
        {
            _isBusy = false;
        }
    }

    private bool Failed(Exception failure, CancellationToken cancellationToken)
    {
        _isBusy = false;
        return _connection.Saw(_physical, failure, cancellationToken);
    }

    /// <summary>The provider's reader was closed. True if the connection is to be closed now.</summary>
    private bool EndReading(DbDataReader inner)
    {
        _isBusy = false;
        if (_inner is ClosedReader)
        {
            // The connection was closed meanwhile.
            return false;
        }

        _inner = ClosedReader.Instance;
        _recordsAffected = RecordsOf(inner);
        _physical.Bound.Remove(this);
        return _closesConnection;
    }

    // Complete only now that the last result was passed; some providers do not tell any more.
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
}
