
namespace Poolhouse.Tests.Objects;

/// <summary>Two threads end the same lease at the same moment (I12).</summary>
[Collection(nameof(Alone))]
public sealed class LeaseRaces
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Of_two_threads_that_end_one_lease_exactly_one_wins(bool discards)
    {
        var rounds = new Rounds(50_000);
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(100));
        var lease = default(Lease<Item>);
        var start = new SpinBarrier();
        var finish = new SpinBarrier();
        Threads.Run(2, number =>
        {
            for (var round = 0; round < rounds.Count; round++)
            {
                if (number == 0)
                {
                    rounds.EndIfLate(round);
                    lease = pool.Rent();
                }

                start.Wait();

                // Offset by a little, differently each time, so that the two ends coincide in every way.
                Thread.SpinWait(round % (number == 0 ? 5 : 7));
                End(lease, discards && number == 0);
                finish.Wait();
            }
        });

        var statistics = pool.GetStatistics();
        Assert.Equal(rounds.Count, statistics.Rented);
        Assert.Equal(rounds.Count, statistics.Returned + statistics.Discarded);
        Assert.Equal(rounds.Count, statistics.DoubleReturns);
        Assert.Equal(0, statistics.Leased);
        StatisticsAssert.Balanced(statistics);
    }

    private static void End(Lease<Item> lease, bool discards)
    {
        if (discards)
        {
            lease.Discard();
        }
        else
        {
            lease.Dispose();
        }
    }
}
