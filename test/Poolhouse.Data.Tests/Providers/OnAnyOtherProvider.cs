using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>With the profile of providers about which nothing is known.</summary>
public sealed class OnAnyOtherProvider(PostgresServer shared) : PostgreSqlConformance(shared)
{
    private protected override DbProviderFactory Factory => NpgsqlFactory.Instance;

    private protected override DbProviderProfile OwnProfile => DbProviderProfile.All[^1];
}
