using System.Data.Odbc;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>Through the driver of the Debian package libsqliteodbc.</summary>
// Not an EmbeddedConformance: the profile is that of all ODBC drivers, and most of them have a server.
public sealed class OnOdbcForSqlite : ProviderConformance, IDisposable
{
    private readonly SqliteFile _file = new();

    public void Dispose() => _file.Dispose();

    internal override Task<Subject> ConnectAsync()
    {
        OdbcDrivers.SkipWithout("SQLite3");
        return Task.FromResult(new Subject(OdbcFactory.Instance, $"Driver={{SQLite3}};Database={_file.Path}")
        {
            Leftovers =
            [
                ("PRAGMA cache_size = 7", "PRAGMA cache_size"),
                ("CREATE TEMP TABLE mine (x)", "SELECT COUNT(*) FROM sqlite_temp_master"),
            ],
            Setting = ("PRAGMA cache_size = 2", "PRAGMA cache_size = 3", "PRAGMA cache_size"),
        });
    }
}
