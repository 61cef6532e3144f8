using System.Data.SQLite;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnSystemSqlite : ProviderConformance
{
    internal override Task<Subject> ConnectAsync()
    {
        var file = new SqliteFile();
        return Task.FromResult(new Subject(SQLiteFactory.Instance, $"Data Source={file.Path};Foreign Keys=True")
        {
            Leftovers = OnMicrosoftSqlite.SqliteLeftovers,
            Setting = ("PRAGMA cache_size = 2", "PRAGMA cache_size = 3", "PRAGMA cache_size"),
            Cleanup = () =>
            {
                file.Dispose();
                return default;
            },
        });
    }
}
