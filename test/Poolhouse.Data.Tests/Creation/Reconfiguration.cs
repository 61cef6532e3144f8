using Npgsql;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>Settings of a pool of connections that change while it exists. Nothing is opened here.</summary>
public sealed class Reconfiguration
{
    [Fact]
    public void New_sizes_apply_at_once_and_keywords_of_the_connection_string_still_override_them()
    {
        using var bound = PooledDataSource.Create(NpgsqlFactory.Instance, "Host=nowhere.invalid;Max Pool Size=7");
        using var free = PooledDataSource.Create(NpgsqlFactory.Instance, "Host=nowhere.invalid");

        bound.Reconfigure(Sized(9));
        free.Reconfigure(Sized(9));

        Assert.Equal((7, 9), (bound.GetStatistics().MaxSize, free.GetStatistics().MaxSize));
    }

    [Fact]
    public void A_pool_of_the_providers_own_connections_changes_in_the_same_way()
    {
        using var pool = DbConnectionPool.Create<NpgsqlConnection>(() => new NpgsqlConnection("Host=nowhere.invalid"));

        pool.Reconfigure(Sized(3));

        Assert.Equal(3, pool.GetStatistics().MaxSize);
    }

    [Fact]
    public void Everything_that_is_wrong_is_named_at_once_and_nothing_changes()
    {
        using var source = PooledDataSource.Create(NpgsqlFactory.Instance, "Host=nowhere.invalid");
        var options = Sized(0);
        options.Reset = SessionReset.None;
        options.Enlist = false;
        options.Credentials = _ => new ValueTask<DbCredential>(new DbCredential("a", "b"));
        options.Pool.Name = "other";
        options.Pool.IdleOrder = IdleOrder.Fifo;

        var error = Assert.Throws<ArgumentException>(() => source.Reconfigure(options));

        Assert.All(
            ["Pool.MaxSize is 0", "Reset is", "Enlist is False", "Credentials is", "Pool.Name is \"other\"", "Pool.IdleOrder is Fifo"],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
        Assert.Equal(100, source.GetStatistics().MaxSize);
    }

    private static DbPoolOptions Sized(int maxSize) => new() { Pool = new ResourcePoolOptions { MaxSize = maxSize } };
}
