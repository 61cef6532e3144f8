using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers.Queueing;

/// <summary>Lanes share the workers by weight; within a lane, items run in the order of arrival.</summary>
public sealed class Lanes
{
    [Fact]
    public async Task Saturated_lanes_share_the_workers_by_weight()
    {
        using var bench = new WorkerBench();
        int[] weights = [1, 3, 10];
        Array.ForEach(weights, weight => bench.Options.Lanes.Add(new WorkLane(weight)));
        var block = bench.Block();
        var order = new List<int>();
        var items = Enumerable.Range(0, 3)
            .SelectMany(lane =>
                Enumerable.Range(0, 1_000).Select(_ => bench.RunAsync(_ => order.Add(lane), new WorkOptions { Lane = lane })))
            .ToList();

        await block.ReleaseAsync();
        await Task.WhenAll(items).WaitAsync(Background.Limit);

        // While all have items, each window of 14 has 1, 3 and 10, give or take the one under way.
        for (var window = 0; window < 900; window += 14)
        {
            var counts = order.Skip(window).Take(14).CountBy(static lane => lane).ToDictionary();
            Assert.All(weights, (weight, lane) => Assert.InRange(counts.GetValueOrDefault(lane), weight - 1, weight + 1));
        }

        var first = order.Take(980).CountBy(static lane => lane).ToDictionary();
        Assert.All(weights, (weight, lane) => Assert.InRange(first[lane], (70 * weight) - 1, (70 * weight) + 1));
    }

    [Fact]
    public async Task Within_a_lane_items_run_in_the_order_of_arrival()
    {
        using var bench = new WorkerBench();
        bench.Options.Lanes.Add(new WorkLane(2));
        bench.Options.Lanes.Add(new WorkLane(7));
        var block = bench.Block();
        var order = new List<(int Lane, int Number)>();
        var items = Enumerable.Range(0, 400)
            .Select(number => bench.RunAsync(_ => order.Add((number % 2, number)), new WorkOptions { Lane = number % 2 }))
            .ToList();

        await block.ReleaseAsync();
        await Task.WhenAll(items).WaitAsync(Background.Limit);

        foreach (var lane in order.GroupBy(static item => item.Lane))
        {
            Assert.Equal(lane.Select(static item => item.Number).Order(), lane.Select(static item => item.Number));
        }
    }

    [Fact]
    public async Task An_idle_lane_accumulates_no_credit()
    {
        using var bench = new WorkerBench();
        bench.Options.Lanes.Add(new WorkLane());
        bench.Options.Lanes.Add(new WorkLane());
        for (var i = 0; i < 500; i++)
        {
            bench.Use();
        }

        var block = bench.Block();
        var order = new List<int>();
        var items = Enumerable.Range(0, 2)
            .SelectMany(lane =>
                Enumerable.Range(0, 100).Select(_ => bench.RunAsync(_ => order.Add(lane), new WorkOptions { Lane = lane })))
            .ToList();
        await block.ReleaseAsync();
        await Task.WhenAll(items).WaitAsync(Background.Limit);

        Assert.InRange(order.Take(100).Count(static lane => lane == 1), 49, 51);
    }

    [Fact]
    public async Task A_single_busy_lane_gets_every_worker()
    {
        using var bench = new WorkerBench(2);
        bench.Options.Lanes.Add(new WorkLane(1_000));
        bench.Options.Lanes.Add(new WorkLane(1));

        var blocks = new[] { bench.Block(new WorkOptions { Lane = 1 }), bench.Block(new WorkOptions { Lane = 1 }) };

        Assert.Equal(2, bench.Now.Leased);
        foreach (var block in blocks)
        {
            await block.ReleaseAsync();
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(2)]
    public void An_unknown_lane_is_rejected(int lane)
    {
        using var bench = new WorkerBench();
        bench.Options.Lanes.Add(new WorkLane());
        bench.Options.Lanes.Add(new WorkLane());

        var error = Assert.Throws<ArgumentOutOfRangeException>(
            () => { _ = bench.RunAsync(static _ => { }, new WorkOptions { Lane = lane }); });

        Assert.Contains($"WorkOptions.Lane is {lane}; allowed: 0 to 1", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(
            () => bench.Pool.TryPost<object?>(static (_, _) => { }, null, new WorkOptions { Lane = lane }));
    }
}
