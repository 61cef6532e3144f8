namespace Poolhouse.Tool.Servers.Tds;

/// <summary>A column of a result.</summary>
internal sealed record TdsColumn(string Name, TdsColumnType Type)
{
    /// <summary>Chooses the type by the declaration; for an expression, by its text or its values.</summary>
    public static TdsColumnType TypeOf(string declared, string? cast, IReadOnlyList<object?[]> rows, int column)
    {
        var values = rows.Select(row => row[column]).Where(value => value is not null).ToList();
        return (cast ?? declared).Trim().ToUpperInvariant() switch
        {
            "BIT" => TdsColumnType.Bit,
            "TINYINT" => TdsColumnType.TinyInt,
            "SMALLINT" => TdsColumnType.SmallInt,
            "BIGINT" => TdsColumnType.BigInt,
            "UNIQUEIDENTIFIER" => TdsColumnType.Guid,
            "DATETIME2" or "DATETIME" => TdsColumnType.DateTime,
            "DECIMAL" or "NUMERIC" or "MONEY" => TdsColumnType.Decimal,
            "FLOAT" or "REAL" => TdsColumnType.Float,
            "NVARCHAR" or "VARCHAR" or "NCHAR" or "CHAR" => TextOf(values),
            "VARBINARY" => TdsColumnType.Binary,
            _ => values.FirstOrDefault() switch
            {
                string => TextOf(values),
                double or float => TdsColumnType.Float,
                byte[] => TdsColumnType.Binary,
                _ => values.TrueForAll(value => value is >= (long)int.MinValue and <= (long)int.MaxValue)
                    ? TdsColumnType.Int
                    : TdsColumnType.BigInt,
            },
        };
    }

    private static TdsColumnType TextOf(List<object?> values) =>
        values.Exists(value => value is string { Length: > 4000 }) ? TdsColumnType.LongText : TdsColumnType.Text;
}
