namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>The result of a statement on tables, or of an expression.</summary>
internal sealed record SqlResult(ushort Command, IReadOnlyList<TdsColumn> Columns, IReadOnlyList<object?[]> Rows, long Count);
