using Poolhouse.Resources;

namespace Poolhouse.Tests.Resources;

/// <summary>How few items a shared pool keeps at work: the minimum, made ahead of callers and again after a loss.</summary>
public sealed class SharedMinimum
{
    [Fact]
    public async Task Items_without_uses_go_down_to_the_minimum()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1);
        bench.Options.Items.MinIdle = 1;
        bench.Options.Items.IdleTimeout = TimeSpan.FromMinutes(1);
        (await bench.RentAsync(3)).ForEach(lease => lease.Dispose());

        bench.PassUntil(() => bench.Items.Live == 1, TimeSpan.FromSeconds(15), steps: 20);

        Assert.Equal([0], bench.Pool.GetUses());
    }

    [Fact]
    public async Task The_minimum_is_there_without_a_caller()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1);
        bench.Options.Items.MinIdle = 1;

        Background.Until(() => bench.Pool.GetUses().Count == 1);

        Assert.Equal(1, bench.Items.Live);
        (await bench.RentAsync()).Dispose();
    }

    [Fact]
    public async Task The_minimum_is_made_one_by_one_and_again_after_a_loss()
    {
        using var bench = new SharedBench(maxSize: 4, maxUses: 1);
        bench.Options.Items.MinIdle = 3;
        Background.Until(() => bench.Pool.GetUses().Count == 3);

        (await bench.RentAsync()).Discard();

        Background.Until(() => bench.Pool.GetUses().Count == 3 && bench.Policy.Destroyed.Count == 1);
        bench.Pool.Clear();
        Background.Until(() => bench.Pool.GetUses().Count == 3 && bench.Policy.Destroyed.Count == 4);
    }

    [Fact]
    public void What_is_trimmed_is_not_put_to_work_again_for_the_minimum()
    {
        using var bench = new SharedBench(maxSize: 4, maxUses: 1);
        bench.Options.Items.MinIdle = 2;
        for (var round = 1; round <= 20; round++)
        {
            Background.Until(() => bench.Pool.GetUses().Count == 2);

            Assert.Equal(2, bench.Pool.Trim());

            Assert.Equal(2 * round, bench.Destroyed(2 * round).Count);
        }
    }

    [Fact]
    public async Task A_minimum_that_cannot_be_made_is_tried_again()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        (bench.Options.Items.MinIdle, bench.Options.Items.CreateFailure) = (1, CreateFailureMode.FailFast);
        bench.Policy.Creates = _ => throw new IOException("no route");
        Background.Until(() => bench.Items.CreateFailures > 0);
        bench.Policy.Creates = null;

        bench.PassUntil(() => bench.Pool.GetUses().Count == 1, bench.Options.Items.MaxRetryDelay, steps: 4);

        (await bench.RentAsync()).Dispose();
    }
}
