using System.Data.Common;

namespace Poolhouse.Data.Providers;

/// <summary>System.Data.SQLite.</summary>
internal sealed class SystemSqliteProfile : SqliteProfile
{
    public override string Name => "System.Data.SQLite";

    public override DbProviderLimits Limits =>
        DbProviderLimits.Cancellation | DbProviderLimits.Timeouts | DbProviderLimits.Server;

    public override bool Recognizes(Type type) => type.Namespace is "System.Data.SQLite";

    internal override bool RegistersFunctions => false;

    internal override PooledConnection CreateConnection(PooledDataSource source) => new(source);

    protected override int? CodeOf(DbException failure) => failure.ErrorCode;
}
