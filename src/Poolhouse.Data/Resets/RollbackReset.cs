using System.Data.Common;

namespace Poolhouse.Data;

/// <summary>Rolls back the open transaction, for any database.</summary>
internal sealed class RollbackReset : SessionReset
{
    public override async ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        await RollbackAsync(connection, cancellationToken).ConfigureAwait(false);
        return true;
    }

    /// <summary>Ends a transaction that was begun through the provider or by SQL, without an error in a server's log where there is none.</summary>
    // Providers refuse to begin a second transaction, most of them without asking the server. MySQL must not be asked so: there the second
    // BEGIN commits the first transaction. It takes a plain ROLLBACK in silence at any time.
    public static async ValueTask RollbackAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        if (!IsMySql(connection) && await TryProbeAsync(connection, cancellationToken).ConfigureAwait(false))
        {
            return;
        }

        await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
    }

    private static bool IsMySql(DbConnection connection) => connection.GetType().Name.StartsWith("MySql", StringComparison.Ordinal);

    private static async ValueTask<bool> TryProbeAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        DbTransaction probe;
        try
        {
            probe = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception refusal) when (refusal is InvalidOperationException or DbException)
        {
            return false;
        }

        await using (probe.ConfigureAwait(false))
        {
            await probe.RollbackAsync(cancellationToken).ConfigureAwait(false);
        }

        return true;
    }
}
