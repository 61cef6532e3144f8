using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Transactions;
using IsolationLevel = System.Data.IsolationLevel;

namespace Poolhouse.Data.Tests.Fakes;

internal sealed class FakeConnection : DbConnection
{
    private readonly FakeDb _db;
    private string _database = "first";
    private object? _user;

    public FakeConnection(FakeDb db) => _db = db;

    /// <summary>Set it to break the connection.</summary>
    public ConnectionState CurrentState { get; set; }

    /// <summary>Called when the state is read.</summary>
    public Action? OnStateRead { get; set; }

    public FakeTransaction? Current { get; set; }

    public List<Transaction?> Enlistments { get; } = [];

    [AllowNull]
    public override string ConnectionString { get; set; } = "Host=fake";

    public override string Database => _database;

    public override string DataSource => _db.Server;

    public override string ServerVersion => State == ConnectionState.Open ? "1.0" : throw new InvalidOperationException("closed");

    public override ConnectionState State
    {
        get
        {
            OnStateRead?.Invoke();
            return CurrentState;
        }
    }

    protected override DbProviderFactory DbProviderFactory => new FakeFactory(_db);

    /// <summary>Sets the current user and returns the previous one, for tests that detect two users at once.</summary>
    public object? ExchangeUser(object? user) => Interlocked.Exchange(ref _user, user);

    public override void Open()
    {
        _db.Note("connection.Open");
        CurrentState = ConnectionState.Open;
        lock (_db.Connections)
        {
            _db.Connections.Add(this);
        }
    }

    public override void Close()
    {
        _db.Note("connection.Close");
        CurrentState = ConnectionState.Closed;
    }

    public override void ChangeDatabase(string databaseName)
    {
        _db.Note("connection.ChangeDatabase");
        _database = databaseName;
    }

    public override void EnlistTransaction(Transaction? transaction)
    {
        _db.Note("connection.Enlist");
        if (!_db.CanEnlist)
        {
            throw new NotSupportedException();
        }

        Enlistments.Add(transaction);
    }

    public override DataTable GetSchema() => new("of " + State);

    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        _db.Note("connection.Begin");
        return Current is null
            ? Current = new FakeTransaction(_db, this, isolationLevel)
            : throw new InvalidOperationException("nested");
    }

    protected override DbCommand CreateDbCommand() => new FakeCommand(_db) { Connection = this };

    protected override void Dispose(bool disposing)
    {
        if (disposing && State != ConnectionState.Closed)
        {
            Close();
        }

        base.Dispose(disposing);
    }
}
