using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>I2: a worker that retires holds its capacity until its state is destroyed.</summary>
public sealed class RetiringWorkers
{
    private static readonly TimeSpan _idle = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData(WorkerDestroyReason.Idle)]
    [InlineData(WorkerDestroyReason.Trimmed)]
    public async Task No_state_is_created_while_another_is_being_destroyed(WorkerDestroyReason reason)
    {
        using var stage = new Stage(maxWorkers: 1);
        stage.Bench.Use();
        stage.Bench.UntilParked();

        stage.End(reason);
        stage.UntilDestroying();
        var next = stage.Bench.GetAsync(static tool => tool.Number);
        var post = stage.Bench.Pool.PostAsync<object?>(static (_, _) => { }, null).AsTask();

        Assert.Equal((1, 2), (stage.Bench.Now.Workers, stage.Bench.Now.Waiting));
        Assert.Single(stage.Bench.Policy.Created);
        stage.Release();
        Assert.Equal(1, await next.WaitAsync(Background.Limit));
        await post.WaitAsync(Background.Limit);
        Assert.Equal((1, reason), (stage.MostAlive, stage.Bench.Policy.Created[0].Reason));
    }

    [Fact]
    public async Task A_pool_shrunk_and_grown_again_waits_for_the_destruction_of_states()
    {
        using var stage = new Stage(maxWorkers: 2);
        await stage.Bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        stage.Bench.UntilParked(2);

        stage.Bench.Pool.Resize(1);
        stage.UntilDestroying();
        stage.Bench.Pool.Resize(2);
        var warm = stage.Bench.Pool.WarmUpAsync(2);

        Assert.False(warm.IsCompleted);
        Assert.Equal(2, stage.Bench.Policy.Created.Count);
        stage.Release();
        await warm.WaitAsync(Background.Limit);
        Assert.Equal((3, 2), (stage.Bench.Policy.Created.Count, stage.MostAlive));
    }

    [Fact]
    public void The_minimum_is_restarted_once_the_capacity_of_the_old_workers_is_released()
    {
        using var stage = new Stage(maxWorkers: 2);
        stage.Bench.Options.MinWorkers = 2;
        _ = stage.Bench.Pool;
        Background.Until(() => stage.Bench.Policy.Created.Count == 2);
        stage.Bench.UntilParked(2);

        Assert.Equal(2, stage.Bench.Pool.Trim());
        stage.UntilDestroying();
        Assert.Equal((2, 2), (stage.Bench.Now.Workers, stage.Bench.Policy.Created.Count));
        stage.Release();

        Background.Until(() => stage.Bench.Policy.Created.Count == 4);
        stage.Bench.UntilParked(2);
        Assert.Equal(2, stage.MostAlive);
    }

    [Fact]
    public void Retiring_workers_do_not_make_others_surplus()
    {
        using var stage = new Stage(maxWorkers: 4);
        var blocks = Enumerable.Range(0, 4).Select(_ => stage.Bench.Block()).ToList();
        blocks[0].Release();
        blocks[1].Release();
        stage.Bench.UntilParked(2);

        stage.Bench.Pool.Resize(2);
        stage.UntilDestroying();
        blocks[2].Release();
        blocks[3].Release();

        stage.Bench.UntilParked(2);
        stage.Release();
        Background.Until(() => stage.Bench.Now.Workers == 2);
        Assert.Equal(2, stage.Bench.Policy.Destroyed);
    }

    [Fact]
    public async Task Items_queued_before_a_drain_run_after_the_last_capacity_was_released()
    {
        using var stage = new Stage(maxWorkers: 1);
        stage.Bench.Use();
        stage.Bench.UntilParked();
        stage.End(WorkerDestroyReason.Trimmed);
        stage.UntilDestroying();
        var item = stage.Bench.GetAsync(static tool => tool.Number);

        var drained = stage.Bench.Pool.DrainAsync();

        stage.Release();
        Assert.Equal(1, await item.WaitAsync(Background.Limit));
        await drained.WaitAsync(Background.Limit);
        Assert.Equal((1, 2), (stage.MostAlive, stage.Bench.Policy.Destroyed));
    }

    [Fact]
    public void While_workers_come_and_go_the_number_of_live_states_stays_within_the_bound()
    {
        const int Rounds = 2_000;
        using var stage = new Stage(maxWorkers: 2);
        stage.Release();
        Threads.Run(3, number =>
        {
            for (var round = 0; round < Rounds; round++)
            {
                if (number == 0)
                {
                    stage.Bench.Pool.Trim();
                }
                else
                {
                    stage.Bench.Use();
                }
            }
        });

        Assert.InRange(stage.MostAlive, 1, 2);
    }

    /// <summary>
    /// A pool whose states take as long to be destroyed as the test wants, with a count of those that are alive.
    /// </summary>
    private sealed class Stage : IDisposable
    {
        private readonly ManualResetEventSlim _released = new();
        private readonly ManualResetEventSlim _destroying = new();
        private readonly Lock _gate = new();
        private int _alive;

        public Stage(int maxWorkers)
        {
            Bench = new WorkerBench(maxWorkers);
            Bench.Options.IdleTimeout = _idle;
            Bench.Policy.Creating = () => Count(1);
            Bench.Policy.Destroying = _ =>
            {
                _destroying.Set();
                Assert.True(_released.Wait(Background.Limit));
                Count(-1);
            };
        }

        public WorkerBench Bench { get; }

        public int MostAlive { get; private set; }

        public void End(WorkerDestroyReason reason)
        {
            if (reason == WorkerDestroyReason.Idle)
            {
                Bench.Clock.Advance(_idle);
            }
            else
            {
                Assert.Equal(1, Bench.Pool.Trim());
            }
        }

        public void UntilDestroying() => Assert.True(_destroying.Wait(Background.Limit));

        public void Release() => _released.Set();

        public void Dispose()
        {
            Release();
            Bench.Dispose();
        }

        private void Count(int change)
        {
            lock (_gate)
            {
                _alive += change;
                MostAlive = Math.Max(MostAlive, _alive);
            }
        }
    }
}
