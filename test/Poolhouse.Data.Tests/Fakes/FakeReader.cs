using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

/// <summary>Three rows of one number. Other members are delegated to a table.</summary>
internal sealed class FakeReader(FakeDb db, FakeCommand command, CommandBehavior behavior) : DbDataReader
{
    private readonly DataTableReader _rows = Rows();
    private bool _isClosed;
    private bool _isInside;

    public CommandBehavior Behavior => behavior;

    public override int Depth => _rows.Depth;

    public override int FieldCount => _rows.FieldCount;

    public override bool HasRows => _rows.HasRows;

    public override bool IsClosed => _isClosed;

    public override int RecordsAffected => 3;

    public override object this[int ordinal] => Inside(ordinal, static (rows, ordinal) => rows[ordinal]);

    public override object this[string name] => Inside(name, static (rows, name) => rows[name]);

    public override bool Read()
    {
        db.Note("reader.Read");
        return Inside(0, static (rows, _) => rows.Read());
    }

    public override Task<bool> ReadAsync(CancellationToken cancellationToken)
    {
        db.Note("reader.ReadAsync");
        return base.ReadAsync(cancellationToken);
    }

    public override bool NextResult()
    {
        db.Note("reader.NextResult");
        return Inside(0, static (rows, _) => rows.NextResult());
    }

    public override void Close()
    {
        if (!_isClosed)
        {
            db.Note("reader.Close");
            if (Volatile.Read(ref _isInside))
            {
                db.NoteCollision();
            }

            _isClosed = true;
            command.Reader = null;
            db.AfterClosing?.Invoke();
        }
    }

    public override System.Collections.IEnumerator GetEnumerator() => _rows.GetEnumerator();

    public override bool GetBoolean(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetBoolean(ordinal));

    public override byte GetByte(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetByte(ordinal));

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) =>
        Inside(
            (ordinal, dataOffset, buffer, bufferOffset, length),
            static (rows, at) => rows.GetBytes(at.ordinal, at.dataOffset, at.buffer, at.bufferOffset, at.length));

    public override char GetChar(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetChar(ordinal));

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) =>
        Inside(
            (ordinal, dataOffset, buffer, bufferOffset, length),
            static (rows, at) => rows.GetChars(at.ordinal, at.dataOffset, at.buffer, at.bufferOffset, at.length));

    public override string GetDataTypeName(int ordinal) => _rows.GetDataTypeName(ordinal);

    public override DateTime GetDateTime(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetDateTime(ordinal));

    public override decimal GetDecimal(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetDecimal(ordinal));

    public override double GetDouble(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetDouble(ordinal));

    public override Type GetFieldType(int ordinal) => _rows.GetFieldType(ordinal);

    public override T GetFieldValue<T>(int ordinal) =>
        typeof(T) == typeof(Stream) ? (T)(object)GetStream(ordinal)
        : typeof(T) == typeof(TextReader) ? (T)(object)GetTextReader(ordinal)
        : base.GetFieldValue<T>(ordinal);

    public override float GetFloat(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetFloat(ordinal));

    public override Guid GetGuid(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetGuid(ordinal));

    public override short GetInt16(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetInt16(ordinal));

    public override int GetInt32(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetInt32(ordinal));

    public override long GetInt64(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetInt64(ordinal));

    public override Stream GetStream(int ordinal) => Inside(ordinal, static (_, _) => new MemoryStream());

    public override TextReader GetTextReader(int ordinal) => Inside(ordinal, static (_, _) => new StringReader(string.Empty));

    public override DataTable? GetSchemaTable() => Inside(0, static (rows, _) => rows.GetSchemaTable());

    public override string GetName(int ordinal) => _rows.GetName(ordinal);

    public override int GetOrdinal(string name) => _rows.GetOrdinal(name);

    public override string GetString(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetString(ordinal));

    public override object GetValue(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.GetValue(ordinal));

    public override int GetValues(object[] values) => Inside(values, static (rows, values) => rows.GetValues(values));

    public override bool IsDBNull(int ordinal) => Inside(ordinal, static (rows, ordinal) => rows.IsDBNull(ordinal));

    protected override DbDataReader GetDbDataReader(int ordinal) => Inside(ordinal, static (_, _) => Rows());

    /// <summary>A call that takes a while with a real provider.</summary>
    private T Inside<TArgument, T>(TArgument argument, Func<DataTableReader, TArgument, T> read)
    {
        Volatile.Write(ref _isInside, value: true);
        try
        {
            db.BeforeReading?.Invoke();
            if (_isClosed)
            {
                db.NoteCollision();
            }

            return read(_rows, argument);
        }
        finally
        {
            Volatile.Write(ref _isInside, value: false);
        }
    }

    private static DataTableReader Rows()
    {
        var table = new DataTable();
        table.Columns.Add("n", typeof(int));
        for (var n = 1; n <= 3; n++)
        {
            table.Rows.Add(n);
        }

        return table.CreateDataReader();
    }
}
