using System.Data.Common;
using System.Data.SQLite;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnSystemSqlite : SqliteConformance
{
    private protected override DbProviderFactory Factory => SQLiteFactory.Instance;
}
