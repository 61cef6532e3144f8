using System.Data.Common;

namespace Poolhouse.Data.Providers;

/// <summary>SqlClient, the provider of SQL Server. Not verified: no server was available.</summary>
internal sealed class SqlClientProfile : DbProviderProfile
{
    public override string Name => "Microsoft.Data.SqlClient";

    public override string Guarantee => "transaction, settings, isolation level; **not verified** against a server";

    public override DbProviderLimits Limits => DbProviderLimits.None;

    public override bool Recognizes(Type type) => type.Namespace is "Microsoft.Data.SqlClient" or "System.Data.SqlClient";

    public override SessionReset GetReset(DbConnection connection) => SessionReset.SqlServer;

    public static SessionReset CreateReset() => new SqlServerReset();

    internal override PooledConnection CreateConnection(PooledDataSource source) => new UseUnwrap.SqlConnection(source);

    // The reset flag of the protocol belongs to the provider's own pool; the procedure behind it can be called as well, and
    // leaves the isolation level as it is (dotnet/SqlClient#96).
    private sealed class SqlServerReset : SessionReset
    {
        public override async ValueTask<bool> ResetAsync(
            DbConnection connection, object? captured, CancellationToken cancellationToken)
        {
            await ExecuteAsync(
                connection,
                "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION; EXEC sp_reset_connection; " +
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;",
                cancellationToken).ConfigureAwait(false);
            return true;
        }
    }
}
