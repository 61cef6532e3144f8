using System.Data.Odbc;
using System.Globalization;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>Through psqlODBC of the Debian package odbc-postgresql.</summary>
public sealed class OnOdbcForPostgreSql(PostgresServer shared) : ProviderConformance
{
    internal override async Task<Subject> ConnectAsync()
    {
        OdbcDrivers.SkipWithout("PostgreSQL Unicode");
        return OnNpgsql.On(await shared.CreateDatabaseAsync(), OdbcFactory.Instance, Translate);
    }

    internal static string Translate(string connectionString)
    {
        var npgsql = new NpgsqlConnectionStringBuilder(connectionString);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"Driver={{PostgreSQL Unicode}};Server={npgsql.Host};Port={npgsql.Port};Database={npgsql.Database};" +
            $"Uid={npgsql.Username};Pwd={{{npgsql.Password}}}");
    }
}
