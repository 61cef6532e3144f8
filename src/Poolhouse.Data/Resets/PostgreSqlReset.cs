using System.Data.Common;

namespace Poolhouse.Data.Resets;

/// <summary>Resets a PostgreSQL session completely, or all but its prepared statements.</summary>
// DISCARD ALL fails inside a transaction block (SQLSTATE 25001, or 25P02 after an error), which reveals an open transaction
// without an additional round trip. The list that keeps prepared statements is what the documentation of DISCARD
// gives as the meaning of ALL, without DEALLOCATE ALL and DISCARD PLANS; it would succeed inside a transaction and be lost with
// it, so it runs in a separate transaction, which the provider refuses to begin when another is open. Npgsql sends BEGIN with the
// next command, and the list ends with the COMMIT: one round trip.
internal sealed class PostgreSqlReset(bool keepPrepared) : SessionReset
{
    private const string KeepPrepared =
        "SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); " +
        "DISCARD TEMP; DISCARD SEQUENCES; COMMIT";

    /// <summary>The provider's prepared statements are kept once there may be any, as in Npgsql's own pool.</summary>
    internal override SessionReset AfterPrepare => PostgreSqlKeepPrepared;

    public override async ValueTask<bool> ResetAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        if (keepPrepared)
        {
            if (!await TryKeepPreparedAsync(connection, cancellationToken).ConfigureAwait(false))
            {
                await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
                return await TryKeepPreparedAsync(connection, cancellationToken).ConfigureAwait(false);
            }

            return true;
        }

        try
        {
            await ExecuteAsync(connection, "DISCARD ALL", cancellationToken).ConfigureAwait(false);
        }
        catch (DbException inTransaction) when (inTransaction.SqlState is "25001" or "25P02")
        {
            await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
            await ExecuteAsync(connection, "DISCARD ALL", cancellationToken).ConfigureAwait(false);
        }

        return true;
    }

    /// <returns>False if another transaction is open.</returns>
    private static async ValueTask<bool> TryKeepPreparedAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        DbTransaction transaction;
        try
        {
            transaction = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException)
        {
            return false;
        }

        await using (transaction.ConfigureAwait(false))
        {
            await ExecuteAsync(connection, KeepPrepared, cancellationToken).ConfigureAwait(false);
        }

        return true;
    }
}
