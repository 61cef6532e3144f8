using System.Data.Common;

namespace Poolhouse.Data.Resets;

/// <summary>Resets a SQL Server session. Not verified: no driver was available.</summary>
// The reset flag of the protocol belongs to the provider's own pool; the procedure behind it can be called as well, and leaves
// the isolation level as it is (dotnet/SqlClient#96).
internal sealed class SqlServerReset : SessionReset
{
    public override async ValueTask<bool> ResetAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        await ExecuteAsync(
            connection,
            "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION; EXEC sp_reset_connection; SET TRANSACTION ISOLATION LEVEL READ COMMITTED;",
            cancellationToken).ConfigureAwait(false);
        return true;
    }
}
