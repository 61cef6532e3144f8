using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnNpgsql(PostgresServer shared) : PostgreSqlConformance(shared)
{
    private protected override DbProviderFactory Factory => NpgsqlFactory.Instance;
}
