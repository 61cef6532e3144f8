using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Providers.Resets;

/// <summary>Resets a session of SQL Server.</summary>
/// <param name="hasOwnPool">Whether the connection is the only one of its provider pool.</param>
// In a pool of its own, closing and opening it makes SqlClient set the flag for the reset in the header of the next request,
// which the server obeys before it executes anything, whatever the last user has set. That is sufficient after plain statements.
// The flag leaves the isolation level as it is (dotnet/SqlClient#96), and takes effect only with the next request: after anything
// else, a request follows at once, which carries it.
// Without one, the procedure behind the flag is called: it is refused in a batch, so it is a remote procedure call. If statements
// are only compiled (SET NOEXEC), calls may succeed without being executed: the query that follows shows it.
internal sealed class SqlServerReset(bool hasOwnPool) : SessionReset
{
    private const string IsolationLevel = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    internal override bool WantsOwnPool => true;

    internal override bool RestoresDatabase => hasOwnPool;

    internal override SessionReset On(DbProviderProfile provider, bool hasOwnPool) => new SqlServerReset(hasOwnPool);

    internal override bool IsPlain(string statement) => TransactSql.IsPlain(statement);

    internal override bool MayChangeSession(string statement) => !TransactSql.IsPlain(statement);

    public override async ValueTask<bool> ResetAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        if (hasOwnPool)
        {
            await ProviderReset.ReopenAsync(connection, cancellationToken).ConfigureAwait(false);
            return await FinishReopenedAsync(connection, cancellationToken).ConfigureAwait(false);
        }

        var call = CreateCommand(connection, "sp_reset_connection");
        await using (call.ConfigureAwait(false))
        {
            call.CommandType = CommandType.StoredProcedure;
            await call.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }

        return await ReadAsync(connection, IsolationLevel + "; SELECT @@TRANCOUNT", cancellationToken).ConfigureAwait(false) is 0;
    }

    internal override async ValueTask<bool> ResetRowsAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        if (!hasOwnPool)
        {
            return await ResetAsync(connection, captured, cancellationToken).ConfigureAwait(false);
        }

        await ProviderReset.ReopenAsync(connection, cancellationToken).ConfigureAwait(false);
        return true;
    }

    internal override async ValueTask<bool> FinishReopenedAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        await ExecuteAsync(connection, IsolationLevel, cancellationToken).ConfigureAwait(false);
        return true;
    }
}
