using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Poolhouse.Data.Providers.Resets;

namespace Poolhouse.Data.Providers;

/// <summary>SqlClient, the provider of SQL Server and Azure SQL.</summary>
internal sealed class SqlClientProfile : DbProviderProfile
{
    public override string Name => "Microsoft.Data.SqlClient";

    public override string Guarantee =>
        "everything that the protocol's reset undoes, and the isolation level; verified against the protocol, **not** against a " +
        "real server";

    public override DbProviderLimits Limits => DbProviderLimits.None;

    public override bool ResetsAlong => true;

    internal override SessionReset ResetOfOwnPool => SessionReset.SqlServer;

    internal override bool DetectsLossAtOpen => true;

    internal override bool RenewsLeases => true;

    internal override bool ConfirmsCancellation => true;

    internal override IsolationLevel DefaultIsolation => IsolationLevel.ReadCommitted;

    public override bool Recognizes(Type type) => type.Namespace is "Microsoft.Data.SqlClient" or "System.Data.SqlClient";

    public override SessionReset GetReset(DbConnection connection) => SessionReset.SqlServer;

    public static SessionReset CreateReset() => new SqlServerReset(hasOwnPool: false);

    // Other connections are checked when they are opened, so an error of this one says nothing about them. After a timeout or a
    // cancellation the provider waits until the server has confirmed it, and closes the connection otherwise.
    public override DbErrorSeverity Classify(Exception exception) =>
        exception is OperationCanceledException ? DbErrorSeverity.Statement
        : exception is null || NumberOf(exception) is null ? base.Classify(exception!)
        : NumberOf(exception) == SqlServerErrors.ReadOnlyDatabase ? DbErrorSeverity.Role
        : SqlServerErrors.IsFatal(exception) ? DbErrorSeverity.Connection
        : DbErrorSeverity.Statement;

    public override ValueTask<ServerRole> GetRoleAsync(DbConnection connection, CancellationToken cancellationToken) =>
        QueryRoleAsync(
            connection,
            "SELECT CASE WHEN CONVERT(nvarchar(20), DATABASEPROPERTYEX(DB_NAME(), 'Updateability')) = N'READ_WRITE' " +
            "THEN 0 ELSE 1 END",
            cancellationToken);

    // The provider marks no exception as transient.
    public override bool IsPermanent(Exception openFailure) =>
        base.IsPermanent(openFailure)
        && !(NumberOf(openFailure) is { } number && SqlServerErrors.IsTemporary(number));

    // Azure SQL: the sessions or workers of the database or its elastic pool are all in use. SQL Server: its user connections.
    public override bool LacksRoom(Exception openFailure) =>
        base.LacksRoom(openFailure)
        || (NumberOf(openFailure) is { } number && SqlServerErrors.LacksRoom(number));

    internal override PooledConnection CreateConnection(PooledDataSource source) => new UseUnwrap.SqlConnection(source);

    internal override bool SharesPool(DbDataSource source) => source is not SqlClientSource;

    // Its idle timeout, which newer versions know, would end the session beneath an idle connection, and after a failure its
    // blocking period would report that one again. Before it repeats a failed login, it waits ten seconds unless told otherwise,
    // and the pool cannot serve its callers meanwhile.
    internal override Func<DbDataSource> SourcesOfOne(
        DbProviderFactory factory, string connectionString, Action<DbConnection>? configure)
    {
        var builder = ProviderStrings.Parse(factory, connectionString);
        ProviderStrings.SetKnown(builder, value: true, "Pooling");
        ProviderStrings.SetKnown(builder, value: false, "Enlist");
        ProviderStrings.SetKnown(builder, value: 2, "Max Pool Size");
        ProviderStrings.SetKnown(builder, value: 0, "Min Pool Size");
        ProviderStrings.SetKnown(builder, value: 0, "Load Balance Timeout");
        ProviderStrings.SetKnown(builder, value: 0, "Connection Idle Timeout");
        ProviderStrings.SetKnown(builder, value: "NeverBlock", "Pool Blocking Period", "PoolBlockingPeriod");
        if (!builder.ShouldSerialize("Connect Retry Interval") && !builder.ShouldSerialize("ConnectRetryInterval"))
        {
            ProviderStrings.SetKnown(builder, value: 1, "Connect Retry Interval", "ConnectRetryInterval");
        }

        var pooled = builder.ConnectionString;
        return () => new SqlClientSource(factory, pooled, configure);
    }

    internal override void ReleaseSessions(DbConnection connection, bool forGood)
    {
        if (forGood)
        {
            ClearPool(connection);
        }
    }

    private static int? NumberOf(Exception failure) => SqlServerErrors.NumberOf(failure) ?? ErrorNumberOf(failure);
}
