using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Connections that the provider refuses to close are limited in number.</summary>
public sealed class RefusedCloses
{
    [Theory]
    [InlineData(4)]
    [InlineData(2)]
    public async Task Their_limit_follows_a_resize(int maxSize)
    {
        using var db = new FakeDb();
        var options = new DbPoolOptions();
        (options.Pool.MaxSize, options.Pool.OutageTimeout) = (4, TimeSpan.Zero);
        await using var pool = DbConnectionPool.Create(() => new FakeConnection(db), options);
        db.Failures["connection.Close"] = new InvalidOperationException("busy");
        for (var i = 0; i < 3; i++)
        {
            (await pool.RentAsync(TestContext.Current.CancellationToken)).Discard();
        }

        await Patience.UntilAsync(
            () => ValueTask.FromResult(pool.GetStatistics().DestroyFailures), failures => failures == 3,
            "three closes are refused");
        pool.Resize(maxSize);
        if (maxSize == 2)
        {
            var refusal = await Assert.ThrowsAsync<DbPoolException>(async () =>
                _ = await pool.RentAsync(TestContext.Current.CancellationToken));
            Assert.Contains("3 connections that were closed are still open", refusal.InnerException!.Message, StringComparison.Ordinal);
        }
        else
        {
            await using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        }

        db.Failures.Clear();
    }
}
