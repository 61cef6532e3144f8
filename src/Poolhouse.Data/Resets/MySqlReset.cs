using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Data;

/// <summary>Resets a MySQL session by the protocol's COM_RESET_CONNECTION. Not verified: no driver of it was at hand.</summary>
// The command has no SQL form; MySqlConnector offers it as a method. In a trimmed application the method may be gone: then the connection
// is destroyed, which is slow and correct.
internal sealed class MySqlReset : SessionReset
{
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "A method that was trimmed away is noticed, and the connection destroyed.")]
    public override async ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
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
