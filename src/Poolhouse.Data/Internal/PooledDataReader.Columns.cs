using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Data;

// Each of these is one virtual call further, with nothing around it: a failure that breaks the connection shows in its state.
internal sealed partial class PooledDataReader
{
    private const DynamicallyAccessedMemberTypes ColumnTypeMembers =
        DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties;

    public override int Depth => _inner.Depth;

    public override int FieldCount => _inner.FieldCount;

    public override bool HasRows => _inner.HasRows;

    public override int VisibleFieldCount => _inner.VisibleFieldCount;

    public override object this[int ordinal] => _inner[ordinal];

    public override object this[string name] => _inner[name];

    public override bool GetBoolean(int ordinal) => _inner.GetBoolean(ordinal);

    public override byte GetByte(int ordinal) => _inner.GetByte(ordinal);

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) =>
        _inner.GetBytes(ordinal, dataOffset, buffer, bufferOffset, length);

    public override char GetChar(int ordinal) => _inner.GetChar(ordinal);

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) =>
        _inner.GetChars(ordinal, dataOffset, buffer, bufferOffset, length);

    public override string GetDataTypeName(int ordinal) => _inner.GetDataTypeName(ordinal);

    public override DateTime GetDateTime(int ordinal) => _inner.GetDateTime(ordinal);

    public override decimal GetDecimal(int ordinal) => _inner.GetDecimal(ordinal);

    public override double GetDouble(int ordinal) => _inner.GetDouble(ordinal);

    [return: DynamicallyAccessedMembers(ColumnTypeMembers)]
    public override Type GetFieldType(int ordinal) => _inner.GetFieldType(ordinal);

    public override T GetFieldValue<T>(int ordinal) => _inner.GetFieldValue<T>(ordinal);

    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken)
    {
        var reading = _inner.GetFieldValueAsync<T>(ordinal, cancellationToken);
        return reading.IsCompletedSuccessfully ? reading : WatchColumnAsync(reading, cancellationToken);
    }

    public override float GetFloat(int ordinal) => _inner.GetFloat(ordinal);

    public override Guid GetGuid(int ordinal) => _inner.GetGuid(ordinal);

    public override short GetInt16(int ordinal) => _inner.GetInt16(ordinal);

    public override int GetInt32(int ordinal) => _inner.GetInt32(ordinal);

    public override long GetInt64(int ordinal) => _inner.GetInt64(ordinal);

    public override string GetName(int ordinal) => _inner.GetName(ordinal);

    public override int GetOrdinal(string name) => _inner.GetOrdinal(name);

    [return: DynamicallyAccessedMembers(ColumnTypeMembers)]
    public override Type GetProviderSpecificFieldType(int ordinal) => _inner.GetProviderSpecificFieldType(ordinal);

    public override object GetProviderSpecificValue(int ordinal) => _inner.GetProviderSpecificValue(ordinal);

    public override int GetProviderSpecificValues(object[] values) => _inner.GetProviderSpecificValues(values);

    public override Stream GetStream(int ordinal) => _inner.GetStream(ordinal);

    public override string GetString(int ordinal) => _inner.GetString(ordinal);

    public override TextReader GetTextReader(int ordinal) => _inner.GetTextReader(ordinal);

    public override object GetValue(int ordinal) => _inner.GetValue(ordinal);

    public override int GetValues(object[] values) => _inner.GetValues(values);

    public override bool IsDBNull(int ordinal) => _inner.IsDBNull(ordinal);

    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken)
    {
        var reading = _inner.IsDBNullAsync(ordinal, cancellationToken);
        return reading.IsCompletedSuccessfully ? reading : WatchColumnAsync(reading, cancellationToken);
    }

    private Task<T> WatchColumnAsync<T>(Task<T> reading, CancellationToken cancellationToken)
    {
        _isBusy = true;
        return WatchAsync(reading, cancellationToken);
    }
}
