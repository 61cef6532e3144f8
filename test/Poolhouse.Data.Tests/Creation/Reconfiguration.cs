using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Servers;
using Poolhouse.Testing;

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
            ["Pool.MaxSize is 0", "Reset is", "Enlist is False", "Credentials is", "Pool.Name is \"other\"",
                "Pool.IdleOrder is Fifo"],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
        Assert.Equal(100, source.GetStatistics().MaxSize);
    }

    [Fact]
    public async Task A_host_that_does_not_answer_has_the_current_CreateTimeout()
    {
        var clock = new ManualTimeProvider();
        using var host = new SilentHost();
        using var source =
            PooledDataSource.Create([host], new ServerSetOptions { TimeProvider = clock }, Timed(TimeSpan.FromMinutes(1)));
        source.Reconfigure(Timed(TimeSpan.FromSeconds(2)));
        var opening = Record.ExceptionAsync(async () => await source.OpenConnectionAsync(TestContext.Current.CancellationToken));
        await host.Contacted.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);

        clock.Advance(TimeSpan.FromSeconds(2));

        // With the old time, the pool would have ended the attempt, which says nothing about the host.
        Assert.True(SpinWait.SpinUntil(() => source.Servers!.GetStatistics()[0].Failures == 1, Patience.Limit));
        source.Dispose();
        Assert.NotNull(await opening);

        DbPoolOptions Timed(TimeSpan createTimeout)
        {
            var options = Sized(1);
            (options.Pool.CreateTimeout, options.Pool.TimeProvider) = (createTimeout, clock);
            return options;
        }
    }

    private static DbPoolOptions Sized(int maxSize) => new() { Pool = new ResourcePoolOptions { MaxSize = maxSize } };

    /// <summary>Never answers.</summary>
    private sealed class SilentHost : DbDataSource
    {
        private readonly TaskCompletionSource _contacted = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Contacted => _contacted.Task;

        public override string ConnectionString => "Host=silent";

        protected override DbConnection CreateDbConnection() => new FakeConnection(new FakeDb());

        protected override async ValueTask<DbConnection> OpenDbConnectionAsync(CancellationToken cancellationToken = default)
        {
            _contacted.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            throw new InvalidOperationException("An infinite delay ended.");
        }
    }
}
