namespace Poolhouse.Tool.Servers.Tds;

/// <summary>How the values of a column are sent.</summary>
internal enum TdsColumnType
{
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Bit,
    Float,
    Text,
    LongText,
    Binary,
    Guid,
    DateTime,
    Decimal,
}
