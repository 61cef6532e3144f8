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

    // Azure SQL: the sessions or workers of the database or its elastic pool are all in use. SQL Server: its user connections.
    public override bool LacksRoom(Exception openFailure) =>
        base.LacksRoom(openFailure) || (openFailure is DbException && ErrorNumberOf(openFailure) is 10928 or 10936 or 17809);

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
