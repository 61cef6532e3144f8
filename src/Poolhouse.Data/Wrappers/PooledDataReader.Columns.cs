using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Data.Wrappers;

// Members that describe columns only add a virtual call. Members that read values may read from the network, and are marked as
// calls in progress, which takes two writes; a failure that breaks the connection shows in its state.
internal sealed partial class PooledDataReader
{
    private const DynamicallyAccessedMemberTypes ColumnTypeMembers =
        DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties;

    public override int Depth => _inner?.Depth ?? 0;

    public override int FieldCount => Inner.FieldCount;

    public override bool HasRows => Inner.HasRows;

    public override int VisibleFieldCount => Inner.VisibleFieldCount;

    public override object this[int ordinal]
    {
        get
        {
            using var call = Begin();
            return call.Inner[ordinal];
        }
    }

    public override object this[string name]
    {
        get
        {
            using var call = Begin();
            return call.Inner[name];
        }
    }

    public override bool GetBoolean(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetBoolean(ordinal);
    }

    public override byte GetByte(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetByte(ordinal);
    }

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        using var call = Begin();
        return call.Inner.GetBytes(ordinal, dataOffset, buffer, bufferOffset, length);
    }

    public override char GetChar(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetChar(ordinal);
    }

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
    {
        using var call = Begin();
        return call.Inner.GetChars(ordinal, dataOffset, buffer, bufferOffset, length);
    }

    public override string GetDataTypeName(int ordinal) => Inner.GetDataTypeName(ordinal);

    public override DateTime GetDateTime(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetDateTime(ordinal);
    }

    public override decimal GetDecimal(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetDecimal(ordinal);
    }

    public override double GetDouble(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetDouble(ordinal);
    }

    [return: DynamicallyAccessedMembers(ColumnTypeMembers)]
    public override Type GetFieldType(int ordinal) => Inner.GetFieldType(ordinal);

    public override T GetFieldValue<T>(int ordinal)
    {
        using var call = Begin();
        NoteValue<T>();
        return call.Inner.GetFieldValue<T>(ordinal);
    }

    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken) => CallAsync(
        ordinal,
        static (reader, inner, ordinal, token) =>
        {
            reader.NoteValue<T>();
            return inner.GetFieldValueAsync<T>(ordinal, token);
        },
        cancellationToken);

    public override float GetFloat(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetFloat(ordinal);
    }

    public override Guid GetGuid(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetGuid(ordinal);
    }

    public override short GetInt16(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetInt16(ordinal);
    }

    public override int GetInt32(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetInt32(ordinal);
    }

    public override long GetInt64(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetInt64(ordinal);
    }

    public override string GetName(int ordinal) => Inner.GetName(ordinal);

    public override int GetOrdinal(string name) => Inner.GetOrdinal(name);

    [return: DynamicallyAccessedMembers(ColumnTypeMembers)]
    public override Type GetProviderSpecificFieldType(int ordinal) => Inner.GetProviderSpecificFieldType(ordinal);

    public override object GetProviderSpecificValue(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetProviderSpecificValue(ordinal);
    }

    public override int GetProviderSpecificValues(object[] values)
    {
        using var call = Begin();
        return call.Inner.GetProviderSpecificValues(values);
    }

    public override Stream GetStream(int ordinal)
    {
        using var call = Begin();
        return HandOut(call.Inner.GetStream(ordinal));
    }

    public override string GetString(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetString(ordinal);
    }

    public override TextReader GetTextReader(int ordinal)
    {
        using var call = Begin();
        return HandOut(call.Inner.GetTextReader(ordinal));
    }

    public override object GetValue(int ordinal)
    {
        using var call = Begin();
        return call.Inner.GetValue(ordinal);
    }

    public override int GetValues(object[] values)
    {
        using var call = Begin();
        return call.Inner.GetValues(values);
    }

    public override bool IsDBNull(int ordinal)
    {
        using var call = Begin();
        return call.Inner.IsDBNull(ordinal);
    }

    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken) =>
        CallAsync(ordinal, static (_, inner, ordinal, token) => inner.IsDBNullAsync(ordinal, token), cancellationToken);
}
