using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

/// <summary>Three rows of one number. What it does not do itself, a table does.</summary>
internal sealed class FakeReader(FakeDb db, FakeCommand command, CommandBehavior behavior) : DbDataReader
{
#pragma warning disable CA2213 // It holds rows in memory.
    private readonly DataTableReader _rows = Rows();
#pragma warning restore CA2213
    private bool _isClosed;

    public CommandBehavior Behavior => behavior;

    public override int Depth => _rows.Depth;

    public override int FieldCount => _rows.FieldCount;

    public override bool HasRows => _rows.HasRows;

    public override bool IsClosed => _isClosed;

    public override int RecordsAffected => 3;

    public override object this[int ordinal] => _rows[ordinal];

    public override object this[string name] => _rows[name];

    public override bool Read()
    {
        db.Note("reader.Read");
        return _rows.Read();
    }

    public override bool NextResult()
    {
        db.Note("reader.NextResult");
        return _rows.NextResult();
    }

    public override void Close()
    {
        if (!_isClosed)
        {
            db.Note("reader.Close");
            _isClosed = true;
            command.Reader = null;
        }
    }

    public override System.Collections.IEnumerator GetEnumerator() => _rows.GetEnumerator();

    public override bool GetBoolean(int ordinal) => _rows.GetBoolean(ordinal);

    public override byte GetByte(int ordinal) => _rows.GetByte(ordinal);

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) =>
        _rows.GetBytes(ordinal, dataOffset, buffer, bufferOffset, length);

    public override char GetChar(int ordinal) => _rows.GetChar(ordinal);

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) =>
        _rows.GetChars(ordinal, dataOffset, buffer, bufferOffset, length);

    public override string GetDataTypeName(int ordinal) => _rows.GetDataTypeName(ordinal);

    public override DateTime GetDateTime(int ordinal) => _rows.GetDateTime(ordinal);

    public override decimal GetDecimal(int ordinal) => _rows.GetDecimal(ordinal);

    public override double GetDouble(int ordinal) => _rows.GetDouble(ordinal);

    public override Type GetFieldType(int ordinal) => _rows.GetFieldType(ordinal);

    public override float GetFloat(int ordinal) => _rows.GetFloat(ordinal);

    public override Guid GetGuid(int ordinal) => _rows.GetGuid(ordinal);

    public override short GetInt16(int ordinal) => _rows.GetInt16(ordinal);

    public override int GetInt32(int ordinal) => _rows.GetInt32(ordinal);

    public override long GetInt64(int ordinal) => _rows.GetInt64(ordinal);

    public override string GetName(int ordinal) => _rows.GetName(ordinal);

    public override int GetOrdinal(string name) => _rows.GetOrdinal(name);

    public override string GetString(int ordinal) => _rows.GetString(ordinal);

    public override object GetValue(int ordinal) => _rows.GetValue(ordinal);

    public override int GetValues(object[] values) => _rows.GetValues(values);

    public override bool IsDBNull(int ordinal) => _rows.IsDBNull(ordinal);

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
