using System.Data.Common;
using System.Data.Odbc;
using System.Globalization;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>Through psqlODBC of the Debian package odbc-postgresql.</summary>
public sealed class OnOdbcForPostgreSql(PostgresServer shared) : PostgreSqlConformance(shared)
{
    private protected override DbProviderFactory Factory => OdbcFactory.Instance;

    private protected override string Translate(string connectionString)
    {
        OdbcDrivers.SkipWithout("PostgreSQL Unicode");
        var npgsql = new NpgsqlConnectionStringBuilder(connectionString);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"Driver={{PostgreSQL Unicode}};Server={npgsql.Host};Port={npgsql.Port};Database={npgsql.Database};" +
            $"Uid={npgsql.Username};Pwd={{{npgsql.Password}}}");
    }
}
