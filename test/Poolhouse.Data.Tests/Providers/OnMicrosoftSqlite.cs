using System.Data.Common;
using Microsoft.Data.Sqlite;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnMicrosoftSqlite : SqliteConformance
{
    private protected override DbProviderFactory Factory => SqliteFactory.Instance;
}
