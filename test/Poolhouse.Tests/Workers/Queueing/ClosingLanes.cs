using Poolhouse.Kernel.Time;
using Poolhouse.Workers;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Tests.Workers.Queueing;

/// <summary>The thread that closes a pool takes every item out of a lane, whatever other threads do meanwhile.</summary>
public sealed class ClosingLanes
{
    private const int Items = 32;
    private const int Rounds = 2_000;

    [Fact]
    public void Items_that_are_admitted_meanwhile_are_taken() => CloseDuring(() =>
    {
        var lane = new LaneQueue(weight: 1, Items);
        for (var number = 0; number < 2 * Items; number++)
        {
            Assert.Equal(number < Items, lane.AcceptOrWait(Item(lane)));
        }

        for (var number = 0; number < Items; number++)
        {
            Assert.NotNull(lane.Take());
        }

        return (lane, () => lane.AdmitAsRoomAllows());
    });

    [Fact]
    public void Items_whose_predecessor_ends_meanwhile_are_taken() => CloseDuring(() =>
    {
        var lane = new LaneQueue(weight: 1, capacity: int.MaxValue);
        var strands = new List<KeyStrand>();
        for (var key = 0; key < Items; key++)
        {
            Assert.True(lane.TryAccept(Item(lane, key)) && lane.TryAccept(Item(lane, key)));
            strands.Add(lane.Take()!.Strand!);
        }

        return (lane, () => strands.ForEach(strand => lane.Advance(strand)));
    });

    /// <summary>Closes many lanes, each while another thread makes its items runnable.</summary>
    private static void CloseDuring(Func<(LaneQueue Lane, Action MakeRunnable)> create)
    {
        Action? next = null;
        var isOver = false;
        Threads.Run(2, number =>
        {
            if (number > 0)
            {
                while (!Volatile.Read(ref isOver))
                {
                    Interlocked.Exchange(ref next, null)?.Invoke();
                    Thread.Yield();
                }

                return;
            }

            try
            {
                for (var round = 0; round < Rounds; round++)
                {
                    (var lane, next) = create();
                    while (Volatile.Read(ref next) is not null)
                    {
                        Thread.Yield();
                    }

                    lane.TakeAll();
                    Assert.Equal(0, lane.Count);
                }
            }
            finally
            {
                Volatile.Write(ref isOver, true);
            }
        });
    }

    private static PostItem<Tool, object?> Item(LaneQueue lane, object? key = null)
    {
        var item = PostItem<Tool, object?>.Rent(Work, null);
        item.Prepare(
            Work, lane, new WorkOptions { Key = key }, new ItemLimits(0, PoolClock.Never, PoolClock.Never), context: null);
        return item;

        static void Work(Tool tool, object? argument)
        {
        }
    }
}
