namespace Poolhouse.Tool.Bench;

/// <summary>Figures in rows, for the console and the page.</summary>
internal sealed record Table(string Title, IReadOnlyList<string> Columns, IReadOnlyList<IReadOnlyList<string>> Rows);
