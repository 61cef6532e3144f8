namespace Poolhouse.Tool.Servers.Tds;

/// <summary>An error that the server reports to its client.</summary>
/// <param name="number">The number, as in <c>sys.messages</c>.</param>
/// <param name="message">The text.</param>
/// <param name="severity">The class: 11 to 19 end a statement, 20 and more end the session.</param>
/// <param name="endsBatch">Whether the statements after the failed one are skipped.</param>
#pragma warning disable CA1032 // It always has a number. Tests compile it, too.
internal sealed class TdsError(int number, string message, byte severity = 16, bool endsBatch = false) : Exception(message)
#pragma warning restore CA1032
{
    public int Number { get; } = number;

    public byte Severity { get; } = severity;

    public byte State { get; init; } = 1;

    public bool EndsBatch { get; } = endsBatch || severity >= 20;

    /// <summary>For a statement or a procedure that exists in SQL Server, but not here.</summary>
    public static TdsError Unknown(string statement) =>
        new(102, $"This server, which is a model of SQL Server, does not know: {statement}", endsBatch: true);
}
