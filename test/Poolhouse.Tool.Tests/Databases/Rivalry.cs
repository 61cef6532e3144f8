using Poolhouse.Tool.Databases;
using Poolhouse.Tool.Experiments;

namespace Poolhouse.Tool.Tests.Databases;

public sealed class Rivalry
{
    [Theory]
    [InlineData(Rivals.NoPool, 0)]
    [InlineData(Rivals.ProviderPool, 1)]
    [InlineData(Rivals.Poolhouse, 1)]
    [InlineData(Rivals.PoolhouseSameReset, 1)]
    public void A_rival_keeps_connections_if_it_has_a_pool_and_none_after_its_end(string rival, int kept)
    {
        using var database = SqliteDatabase.CreateTemporary();
        Assert.SkipWhen(database.CountConnections("") is null, "open files cannot be counted on this system");
        var source = database.Open(rival, new SourceSettings(4, "test"));

        for (var i = 0; i < 3; i++)
        {
            using var connection = source.OpenConnection();
            Statement.Run(connection, Database.SmallQuery);
            Assert.Equal(1, database.CountConnections("test"));
        }

        Assert.Equal(kept, database.CountConnections("test"));
        source.Dispose();
        Assert.Equal(0, database.CountConnections("test"));
    }

    [Fact]
    public void A_temporary_database_leaves_nothing_behind()
    {
        var before = Directory.GetDirectories(Path.GetTempPath(), "poolhouse-sqlite-*");
        string[] during;
        using (SqliteDatabase.CreateTemporary())
        {
            during = Directory.GetDirectories(Path.GetTempPath(), "poolhouse-sqlite-*");
        }

        var own = Assert.Single(during.Except(before, StringComparer.Ordinal));
        Assert.False(Directory.Exists(own));
    }
}
