using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Tests.Databases;

public sealed class Rivalry
{
    [Theory]
    [InlineData(RivalNames.NoPool, 0, false)]
    [InlineData(RivalNames.ProviderPool, 1, true)]
    [InlineData(RivalNames.ProviderPool, 1, false)]
    [InlineData(RivalNames.Poolhouse, 1, false)]
    [InlineData(RivalNames.PoolhouseSameReset, 1, false)]
    public async Task A_rival_with_a_pool_keeps_connections_until_it_is_disposed(string rival, int kept, bool synchronously)
    {
        using var database = SqliteDatabase.CreateTemporary();
        Assert.SkipWhen(database.CountConnections("") is null, "open files cannot be counted on this system");
        var source = database.Open(rival, new SourceSettings(4, "test"));

        for (var i = 0; i < 3; i++)
        {
            using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
            Statement.Run(connection, database.SmallQuery);
            Assert.Equal(1, database.CountConnections("test"));
        }

        Assert.Equal(kept, database.CountConnections("test"));
        if (synchronously)
        {
            source.Dispose();
        }
        else
        {
            await source.DisposeAsync();
        }

        Assert.Equal(0, database.CountConnections("test"));
    }

    [Fact]
    public void A_temporary_database_leaves_no_files()
    {
        string folder;
        using (var database = SqliteDatabase.CreateTemporary())
        {
            folder = database.Folder!;
            Assert.NotEmpty(Directory.GetFiles(folder));
        }

        Assert.False(Directory.Exists(folder));
    }
}
