using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Npgsql;

namespace Poolhouse.Data.Tests.Fakes;

/// <summary>A command that reads the rows 1 to 3. Its parameters come from a real provider.</summary>
internal sealed class FakeCommand(FakeDb db) : DbCommand
{
    private readonly NpgsqlCommand _parameters = new();
    private DbConnection? _connection;

    public FakeReader? Reader { get; set; }

    public bool IsDisposed { get; private set; }

    [AllowNull]
    public override string CommandText
    {
        get;
        set => field = Reader is null
            ? value ?? string.Empty
            : throw new InvalidOperationException("A reader is open on this command.");
    } = string.Empty;

    public override int CommandTimeout { get; set; } = 30;

    public override CommandType CommandType { get; set; } = CommandType.Text;

    public override bool DesignTimeVisible { get; set; }

    public override UpdateRowSource UpdatedRowSource { get; set; }

    protected override DbParameterCollection DbParameterCollection => _parameters.Parameters;

    protected override DbTransaction? DbTransaction { get; set; }

    protected override DbConnection? DbConnection
    {
        get => _connection;
        set => _connection = Reader is not null ? throw new InvalidOperationException("A reader is open on this command.")
            : value is null && db.ReleaseFailure is { } failure ? throw failure
            : value;
    }

    public override void Cancel() => db.Note("command.Cancel");

    public override int ExecuteNonQuery() => Execute("command.NonQuery", 7);

    public override object? ExecuteScalar() => Execute("command.Scalar", 1);

    public override void Prepare() => Execute("command.Prepare", 0);

    protected override DbParameter CreateDbParameter() => new NpgsqlParameter();

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        Execute("command.Reader", 0);
        return Reader = new FakeReader(db, this, behavior);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            IsDisposed = true;
            if (_connection is { State: ConnectionState.Open })
            {
                db.Note("command.Dispose");
            }

            _parameters.Dispose();
        }

        base.Dispose(disposing);
    }

    private int Execute(string call, int result)
    {
        db.Note(call);
        if (_connection is not FakeConnection { State: ConnectionState.Open } connection)
        {
            throw new InvalidOperationException("no open connection");
        }

        connection.Current = string.Equals(CommandText, "ROLLBACK", StringComparison.Ordinal) ? null : connection.Current;
        return result;
    }
}
