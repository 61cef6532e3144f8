#pragma warning disable VSTHRD001 // There is no main thread: Post is what is tested.
#pragma warning disable xUnit1031 // Blocks on purpose: one thread, which waits for each item with a deadline.

namespace Poolhouse.Tests.Workers;

/// <summary>I5: no item waits while a worker is idle.</summary>
public sealed class WakeUps
{
    [Fact]
    public void Interdependent_items_all_run_without_further_posts()
    {
        const int Rounds = 10_000;
        using var bench = new WorkerBench(2);
        using var meeting = new Barrier(2);
        using var met = new SemaphoreSlim(0);
        var random = new Random(7);
        for (var round = 0; round < Rounds; round++)
        {
            // Each waits for the other, so an item that waits while a worker is idle is never reached.
            Post();
            Post();
            Assert.True(
                met.Wait(Background.Limit) && met.Wait(Background.Limit),
                $"In round {round}, an item waited while a worker was idle.");
            Thread.SpinWait(random.Next(2_000));
        }

        void Post() => bench.Pool.TryPost(
            static (_, all) =>
            {
                Assert.True(all.Meeting.SignalAndWait(Background.Limit));
                all.Met.Release();
            },
            new Pair(meeting, met));
    }

    [Fact]
    public void Interdependent_items_of_two_callers_all_run()
    {
        const int Rounds = 10_000;
        using var bench = new WorkerBench(2);
        using var meeting = new Barrier(2);
        using var met = new SemaphoreSlim(0);
        using var turn = new Barrier(2);
        Threads.Run(2, number =>
        {
            var random = new Random(number);
            for (var round = 0; round < Rounds; round++)
            {
                Assert.True(turn.SignalAndWait(Background.Limit));
                Thread.SpinWait(random.Next(200));
                bench.Pool.TryPost(
                    static (_, all) =>
                    {
                        all.Meeting.SignalAndWait(Background.Limit);
                        all.Met.Release();
                    },
                    new Pair(meeting, met));
                Assert.True(met.Wait(Background.Limit), $"In round {round}, an item waited while a worker was idle.");
            }
        });
    }

    [Fact]
    public void A_command_reaches_a_worker_that_is_about_to_park()
    {
        // More readings than a worker makes on its way to parking.
        const int Readings = 12;
        using var bench = new WorkerBench();
        SynchronizationContext? context = null;
        var (left, sent, ran) = (0, 0, 0);
        bench.Options.TimeProvider = new TellingClock(bench.Clock, () =>
        {
            // One reading of the clock is between the last check for work and parking.
            if (context is not null && bench.Pool.IsWorkerThread && left > 0 && --left == 0)
            {
                Interlocked.Increment(ref sent);
                context.Post(_ => Interlocked.Increment(ref ran), null);
            }
        });
        var first = bench.Pool.RunAsync(_ => Task.FromResult(context = SynchronizationContext.Current)).AsTask();
        Assert.True(first.Wait(Background.Limit));

        for (var reading = 1; reading <= Readings; reading++)
        {
            bench.UntilParked();
            context!.Post(number => left = (int)number!, reading);
            bench.UntilParked();
            Background.Until(() => Volatile.Read(ref ran) == Volatile.Read(ref sent));
        }

        Assert.InRange(sent, 1, Readings - 1);
    }

    [Fact]
    public void A_worker_busy_with_its_own_commands_does_not_block_wake_ups()
    {
        using var bench = new WorkerBench(2);
        using var opened = new ManualResetEventSlim();
        for (var round = 0; round < 200; round++)
        {
            opened.Reset();
            bench.Use();
            bench.UntilParked(bench.Now.Workers);
            using var begun = new CountdownEvent(1);
            var broadcast = bench.Pool.BroadcastAsync(tool =>
            {
                if (tool.Number == 0)
                {
                    begun.Signal();
                    opened.Wait(Background.Limit);
                }
            });
            Assert.True(bench.RunAsync(static _ => { }).Wait(Background.Limit), "The item waited for the command.");
            opened.Set();
            Assert.True(broadcast.Wait(Background.Limit));
        }
    }

    [Fact]
    public void Items_run_although_workers_end_continuously()
    {
        using var bench = new WorkerBench();
        var rounds = 0;
        using var stop = new CancellationTokenSource();
        var trimming = Background.Start(() =>
        {
            while (!stop.IsCancellationRequested)
            {
                bench.Pool.Trim();
                bench.Clock.Advance(TimeSpan.FromSeconds(20));

                // On a busy machine, each round would otherwise wait until this loop has used up its time slice.
                Thread.Yield();
            }

            return true;
        });
        for (; rounds < 3_000; rounds++)
        {
            Assert.True(bench.RunAsync(static _ => { }).Wait(Background.Limit), $"No worker ran the item of round {rounds}.");
        }

        stop.Cancel();
        Assert.True(trimming.Wait(Background.Limit));
    }

    [Fact]
    public void Items_run_although_the_pool_is_resized_continuously()
    {
        using var bench = new WorkerBench(3);
        using var stop = new CancellationTokenSource();
        var resizing = Background.Start(() =>
        {
            for (var size = 0; !stop.IsCancellationRequested; size++)
            {
                bench.Pool.Resize(1 + (size % 3));
                Thread.Yield();
            }

            return true;
        });
        Threads.Run(2, _ =>
        {
            for (var round = 0; round < 3_000; round++)
            {
                Assert.True(bench.RunAsync(static _ => { }).Wait(Background.Limit), $"No worker ran the item of round {round}.");
            }
        });

        stop.Cancel();
        Assert.True(resizing.Wait(Background.Limit));
        Background.Until(() => bench.Now.Workers <= bench.Now.MaxWorkers);
    }

    private sealed class TellingClock(TimeProvider clock, Action request) : TimeProvider
    {
        public override long TimestampFrequency => clock.TimestampFrequency;

        public override long GetTimestamp()
        {
            request();
            return clock.GetTimestamp();
        }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            clock.CreateTimer(callback, state, dueTime, period);
    }

    private sealed record Pair(Barrier Meeting, SemaphoreSlim Met);
}
