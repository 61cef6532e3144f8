using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

internal sealed class FakeFactory(FakeDb db) : DbProviderFactory
{
    public override DbCommand CreateCommand() => new FakeCommand(db);

    public override DbConnection CreateConnection() => new FakeConnection(db);
}
