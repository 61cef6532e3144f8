
namespace Poolhouse.Tests.Buffers;

/// <summary>Two lengths alternate in a budget that holds one of them, while another thread takes snapshots.</summary>
[Collection(nameof(Alone))]
public sealed class BudgetSnapshots
{
    private const int Snapshots = 300_000;
    private const int First = 1024;
    private const int Last = 16;

    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>(budget: First);

    [Fact]
    public void A_snapshot_never_shows_more_bytes_than_the_bound()
    {
        RentEachLengthOnce();
        var most = 0L;
        var watching = true;
        Threads.Run(2, number =>
        {
            if (number == 0)
            {
                TakeTurns(() => Volatile.Read(ref watching));
                return;
            }

            // On a busy machine all of them may be taken before the other thread begins.
            for (var snapshot = 0; snapshot < Snapshots || most == 0; snapshot++)
            {
                most = Math.Max(most, _pool.GetStatistics().RetainedBytes);
            }

            Volatile.Write(ref watching, false);
        });

        Assert.InRange(most, Last, _pool.MaxRetainedBytes);
    }

    /// <summary>Makes a snapshot take long between the two: it adds up other lengths and other threads' stacks.</summary>
    private void RentEachLengthOnce()
    {
        _pool.Rent(First);
        Threads.Run(8, _ =>
        {
            for (var length = 2 * First; length <= 1 << 20; length *= 2)
            {
                _pool.RentExact(length).Discard();
            }
        });
        _pool.Rent(Last);
    }

    private void TakeTurns(Func<bool> goOn)
    {
        for (var turn = 0; goOn(); turn++)
        {
            TakeTurn(First, turn);
            TakeTurn(Last, turn);
        }
    }

    /// <summary>An array is returned and rented; a rent that finds none returns its share to the budget.</summary>
    private void TakeTurn(int length, int turn)
    {
        _pool.Return(new byte[length]);

        // A different rhythm each time; otherwise, the two threads would run in lockstep.
        Thread.SpinWait(turn % 37);
        _pool.Rent(length);
        _pool.Rent(length);
    }
}
