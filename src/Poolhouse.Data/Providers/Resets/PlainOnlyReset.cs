using System.Data.Common;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data.Providers.Resets;

/// <summary>
/// Keeps a session in which only single queries and changes of rows were executed, inside transactions of the provider or
/// outside, and has every other one destroyed: for providers whose sessions cannot be reset.
/// </summary>
// The transactions of the provider are rolled back before the reset. It sends nothing.
internal sealed class PlainOnlyReset : SessionReset
{
    // A query that creates a table, and functions that change a setting or take a lock. A match too many costs a connection.
    private static readonly string[] _tracesOfQueries = ["into", "set_config", "set_context", "lock", "setval"];

    public override bool MayLeaveTraces(string statement) =>
        !PlainStatements.IsOne(statement)
        || (!PlainStatements.ChangesRows(statement)
            && Array.Exists(_tracesOfQueries, trace => statement.Contains(trace, StringComparison.OrdinalIgnoreCase)));

    internal override bool KeepsInitialization => true;

    internal override bool MayChangeSession(string statement) => MayLeaveTraces(statement);

    internal override ValueTask<bool> ResetRowsAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken) => new(result: true);

    public override ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken) =>
        new(result: false);
}
