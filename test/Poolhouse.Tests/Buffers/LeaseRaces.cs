
namespace Poolhouse.Tests.Buffers;

/// <summary>Two threads end the same lease at the same moment.</summary>
[Collection(nameof(Alone))]
public sealed class LeaseRaces
{
    private const int Most = 30_000;

    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    public enum Ending
    {
        Dispose,
        Discard,
        Detach,
    }

    [Theory]
    [InlineData(Ending.Dispose, Ending.Dispose)]
    [InlineData(Ending.Dispose, Ending.Discard)]
    [InlineData(Ending.Dispose, Ending.Detach)]
    [InlineData(Ending.Discard, Ending.Discard)]
    [InlineData(Ending.Detach, Ending.Detach)]
    public void Exactly_one_end_wins_and_the_other_is_counted(Ending first, Ending second)
    {
        var rounds = new Rounds(Most);
        var lease = default(BufferLease<byte>);
        var start = new SpinBarrier();
        var finish = new SpinBarrier();
        Threads.Run(2, number =>
        {
            for (var round = 0; round < rounds.Count; round++)
            {
                if (number == 0)
                {
                    rounds.EndIfLate(round);
                    lease = _pool.RentExact(100);
                }

                start.Wait();
                Thread.SpinWait(round % (number == 0 ? 5 : 7));
                Finish(lease, number == 0 ? first : second);
                finish.Wait();
            }
        });

        var statistics = _pool.AssertBalanced();
        Assert.Equal(rounds.Count, statistics.Returned + statistics.Discarded + statistics.Detached);
        Assert.Equal(rounds.Count, statistics.DoubleReturns);
        Assert.Equal(0, statistics.Leased);
    }

    [Fact]
    public void A_stale_end_never_takes_the_array_from_its_next_user()
    {
        using var done = new CancellationTokenSource();
        var stale = new BufferLease<byte>[1];
        using var ready = new Barrier(2);
        Threads.Run(2, number =>
        {
            if (number == 0)
            {
                ready.SignalAndWait();
                do
                {
                    stale[0].Dispose();
                }
                while (!done.IsCancellationRequested);
                return;
            }

            stale[0] = _pool.RentExact(100);
            stale[0].Dispose();
            ready.SignalAndWait();
            for (var round = 0; round < Most * 10 && _pool.RentExact(100) is { IsActive: true } lease; round++)
            {
                lease.Dispose();
            }

            done.Cancel();
        });

        var statistics = _pool.AssertBalanced();
        Assert.Equal((Most * 10) + 1, statistics.Returned);
        Assert.InRange(statistics.DoubleReturns, 1, long.MaxValue);
        Assert.Equal(1, statistics.Retained);
    }

    private static void Finish(BufferLease<byte> lease, Ending end)
    {
        switch (end)
        {
            case Ending.Dispose:
                lease.Dispose();
                break;
            case Ending.Discard:
                lease.Discard();
                break;
            default:
                Record.Exception(() => lease.Detach());
                break;
        }
    }
}
