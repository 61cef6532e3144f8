using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>A connection to a database named "two" that opens, enlists and closes, and no more.</summary>
internal sealed class StubConnection : DbConnection
{
    private ConnectionState _state;

    [AllowNull]
    public override string ConnectionString { get; set; } = "";

    /// <summary>Whether closing fails, as while something runs.</summary>
    public bool IsBusy { get; init; }

    public override string Database => "two";

    public override string DataSource => "";

    public override string ServerVersion => "";

    public override ConnectionState State => _state;

    public override void ChangeDatabase(string databaseName) => throw new NotSupportedException();

    public override void Open() => _state = ConnectionState.Open;

    public override void EnlistTransaction(System.Transactions.Transaction? transaction)
    {
    }

    public override void Close() => _state = IsBusy ? throw new InvalidOperationException("busy") : ConnectionState.Closed;

    protected override void Dispose(bool disposing)
    {
        Close();
        base.Dispose(disposing);
    }

    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) => throw new NotSupportedException();

    protected override DbCommand CreateDbCommand() => throw new NotSupportedException();
}
