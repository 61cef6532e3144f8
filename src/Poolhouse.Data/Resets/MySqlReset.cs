using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Data.Resets;

/// <summary>Resets a MySQL session by the protocol's COM_RESET_CONNECTION, and goes back to the database that it was opened on.</summary>
// The command has no SQL form, and leaves the default database as it is; MySqlConnector offers it as a method. In a trimmed application the method
// may be gone: then the connection is destroyed, which is slow and correct.
internal sealed class MySqlReset : SessionReset
{
    public override async ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
        if (!await TryResetAsync(connection, cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        if (captured is string database)
        {
            await connection.ChangeDatabaseAsync(database, cancellationToken).ConfigureAwait(false);
            return true;
        }

        // There is no way back to none.
        return await ReadDatabaseAsync(connection, cancellationToken).ConfigureAwait(false) is null;
    }

    public override async ValueTask<object?> CaptureAsync(DbConnection connection, CancellationToken cancellationToken) =>
        await ReadDatabaseAsync(connection, cancellationToken).ConfigureAwait(false);

    private static async ValueTask<string?> ReadDatabaseAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        var command = connection.CreateCommand();
        await using (command.ConfigureAwait(false))
        {
            command.CommandText = "SELECT DATABASE()";
            return await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false) as string;
        }
    }

    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "A method that was trimmed away is noticed, and the connection destroyed.")]
    private static async ValueTask<bool> TryResetAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        var method = connection.GetType().GetMethod("ResetConnectionAsync", [typeof(CancellationToken)]);
        switch (method?.Invoke(connection, [cancellationToken]))
        {
            case ValueTask resetting:
                await resetting.ConfigureAwait(false);
                return true;
            case Task resetting:
                await resetting.ConfigureAwait(false);
                return true;
            default:
                return false;
        }
    }
}
