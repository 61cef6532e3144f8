using System.Data.Odbc;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>Through the driver of the Debian package libsqliteodbc.</summary>
public sealed class OnOdbcForSqlite : ProviderConformance
{
    internal override Task<Subject> ConnectAsync()
    {
        OdbcDrivers.SkipWithout("SQLite3");
        var file = new SqliteFile();
        return Task.FromResult(new Subject(OdbcFactory.Instance, $"Driver={{SQLite3}};Database={file.Path}")
        {
            Leftovers =
            [
                ("PRAGMA cache_size = 7", "PRAGMA cache_size"),
                ("CREATE TEMP TABLE mine (x)", "SELECT COUNT(*) FROM sqlite_temp_master"),
            ],
            Setting = ("PRAGMA cache_size = 2", "PRAGMA cache_size = 3", "PRAGMA cache_size"),
            Cleanup = () =>
            {
                file.Dispose();
                return default;
            },
        });
    }

    // The driver ends no statement of an embedded database from outside: psqlODBC shows the timeout and the cancellation.
    private protected override bool EndsStatements => false;
}
