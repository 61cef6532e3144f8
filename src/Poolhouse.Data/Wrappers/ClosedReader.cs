using System.Collections;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Data.Wrappers;

/// <summary>The inner reader of every closed reader of this package: each call throws.</summary>
internal sealed class ClosedReader : DbDataReader
{
    private const DynamicallyAccessedMemberTypes ColumnTypeMembers =
        DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties;

    public static ClosedReader Instance { get; } = new();

    public override bool IsClosed => true;

    public override int RecordsAffected => -1;

    public override int Depth => 0;

    public override int FieldCount => throw Closed();

    public override bool HasRows => throw Closed();

    public override object this[int ordinal] => throw Closed();

    public override object this[string name] => throw Closed();

    public override bool Read() => throw Closed();

    public override bool NextResult() => throw Closed();

    public override DataTable? GetSchemaTable() => throw Closed();

    public override IEnumerator GetEnumerator() => throw Closed();

    public override bool GetBoolean(int ordinal) => throw Closed();

    public override byte GetByte(int ordinal) => throw Closed();

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) => throw Closed();

    public override char GetChar(int ordinal) => throw Closed();

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) => throw Closed();

    public override string GetDataTypeName(int ordinal) => throw Closed();

    public override DateTime GetDateTime(int ordinal) => throw Closed();

    public override decimal GetDecimal(int ordinal) => throw Closed();

    public override double GetDouble(int ordinal) => throw Closed();

    [return: DynamicallyAccessedMembers(ColumnTypeMembers)]
    public override Type GetFieldType(int ordinal) => throw Closed();

    public override float GetFloat(int ordinal) => throw Closed();

    public override Guid GetGuid(int ordinal) => throw Closed();

    public override short GetInt16(int ordinal) => throw Closed();

    public override int GetInt32(int ordinal) => throw Closed();

    public override long GetInt64(int ordinal) => throw Closed();

    public override string GetName(int ordinal) => throw Closed();

    public override int GetOrdinal(string name) => throw Closed();

    public override string GetString(int ordinal) => throw Closed();

    public override object GetValue(int ordinal) => throw Closed();

    public override int GetValues(object[] values) => throw Closed();

    public override bool IsDBNull(int ordinal) => throw Closed();

    protected override DbDataReader GetDbDataReader(int ordinal) => throw Closed();

    private static InvalidOperationException Closed() =>
        new("The reader is closed. Read from it before it is disposed and before its connection is closed.");
}
