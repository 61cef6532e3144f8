using System.Runtime.CompilerServices;
using Poolhouse.Servers;

namespace Poolhouse.Tests.Servers;

/// <summary>Counting the items on each server: none is missed or counted twice.</summary>
public sealed class ServerItemCounts
{
    [Fact]
    public async Task An_item_is_counted_out_once_however_often_it_is_disposed()
    {
        var bench = new ServerBench();
        var first = bench.Create();
        using var second = bench.Create();
        Assert.Equal(2, bench.Of("A").Items);

        first.Dispose();
        await first.DisposeAsync();
        Assert.Same(first.Value, first.Detach());

        Assert.Equal((1, 2L), (bench.Of("A").Items, bench.Of("A").Created));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Disposal_disposes_the_value_once(bool asynchronously)
    {
        var bench = new ServerBench();
        var item = bench.Set.Create((_, _) => new Closable(), Timeout.InfiniteTimeSpan);

        for (var i = 0; i < 2; i++)
        {
            if (asynchronously)
            {
                await item.DisposeAsync();
            }
            else
            {
                item.Dispose();
            }
        }

        Assert.Equal(1, item.Value.Closed);
    }

    [Fact]
    public async Task An_asynchronously_disposable_value_is_disposed_asynchronously()
    {
        var bench = new ServerBench();
        var item = bench.Set.Create((_, _) => new AsyncClosable(), Timeout.InfiniteTimeSpan);

        await item.DisposeAsync();

        Assert.True(item.Value.ClosedAsynchronously);
    }

    [Fact]
    public void A_value_that_is_only_asynchronously_disposable_is_disposed_by_a_synchronous_disposal_too()
    {
        var bench = new ServerBench();
        var item = bench.Set.Create((_, _) => new OnlyAsyncClosable(), Timeout.InfiniteTimeSpan);

        item.Dispose();
        item.Dispose();

        Assert.Equal((0, 1), (bench.Items().First(), item.Value.Closed));
    }

    [Fact]
    public void An_item_whose_disposal_throws_is_counted_out()
    {
        var bench = new ServerBench();
        var item = bench.Set.Create((_, _) => new Closable { Failure = new IOException() }, Timeout.InfiniteTimeSpan);

        Assert.Throws<IOException>(item.Dispose);
        Assert.Equal(0, bench.Of("A").Items);
    }

    [Fact]
    public void The_caller_that_detaches_an_item_disposes_its_value()
    {
        var bench = new ServerBench();
        using var value = bench.Set.Create((_, _) => new Closable(), Timeout.InfiniteTimeSpan).Detach();

        Assert.Equal((0, 0), (bench.Of("A").Items, value.Closed));
    }

    [Fact]
    public void A_failed_creation_is_not_counted()
    {
        var bench = new ServerBench { Down = { "A", "B", "C" } };
        bench.Failure();

        Assert.All(bench.Set.GetStatistics(), each => Assert.Equal((0, 0), (each.Items, each.Creating)));
    }

    [Fact]
    public void A_collected_item_is_no_longer_counted()
    {
        var bench = new ServerBench();
        Forget(bench);
        GC.Collect();
        GC.WaitForPendingFinalizers();

        Assert.Equal((0, 1L), (bench.Of("A").Items, bench.Of("A").Created));
    }

    [Fact]
    public void The_text_of_the_statistics_omits_the_server()
    {
        var set = new ServerSet<string>(["Password=hush"]);

        Assert.Equal("Up: 0 items, 0 creating, 0 created, 0 failures, 0 in a row", set.GetStatistics()[0].ToString());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_item_that_cannot_be_counted_for_lack_of_memory_is_disposed(bool asynchronously)
    {
        var random = new ScarceRandom();
        var bench = new ServerBench(servers: "A", change: options => options.With(random));
        using var created = new Closable();

        random.LacksMemory = true;
        await Assert.ThrowsAsync<InsufficientMemoryException>(async () => _ = asynchronously
            ? await bench.Set.CreateAsync((_, _) => new ValueTask<Closable>(created), Timeout.InfiniteTimeSpan)
            : bench.Set.Create((_, _) => created, Timeout.InfiniteTimeSpan));

        Assert.Equal((0, 0, 0L), (bench.Of("A").Items, bench.Of("A").Creating, bench.Of("A").Created));
        Assert.Equal(1, created.Closed);
    }

    [Fact]
    public void An_attempt_that_cannot_begin_for_lack_of_memory_ends()
    {
        var bench = new ServerBench(servers: "AB");
        var clock = new ScarceClock(bench.Clock);
        var set = new ServerSet<string>(["A", "B"], new ServerSetOptions { TimeProvider = clock }.With(new FixedRandom()));
        set.ReportFailure("A", new IOException("A"));
        bench.Advance(3_600);

        clock.LacksMemory = true;
        Assert.Throws<InsufficientMemoryException>(() => set.Create(bench.CreatePart, Timeout.InfiniteTimeSpan));
        clock.LacksMemory = false;

        Assert.All(set.GetStatistics(), each => Assert.Equal((0, 0), (each.Items, each.Creating)));
        using var item = set.Create(bench.CreatePart, Timeout.InfiniteTimeSpan);
        Assert.Equal("A", item.Server);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(ServerBench bench) => bench.Set.Create(bench.CreatePart, Timeout.InfiniteTimeSpan);

    /// <summary>Memory is short once: when the set needs an object that counts an item.</summary>
    private sealed class ScarceRandom : Random
    {
        public bool LacksMemory { get; set; }

        public override double NextDouble()
        {
            if (LacksMemory)
            {
                LacksMemory = false;
                throw new InsufficientMemoryException("There is no memory for another object.");
            }

            return 0;
        }
    }

    /// <summary>A clock that may have no memory for a timer.</summary>
    private sealed class ScarceClock(TimeProvider inner) : TimeProvider
    {
        public bool LacksMemory { get; set; }

        public override long TimestampFrequency => inner.TimestampFrequency;

        public override long GetTimestamp() => inner.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            LacksMemory
                ? throw new InsufficientMemoryException("There is no memory for another object.")
                : inner.CreateTimer(callback, state, dueTime, period);
    }

    private sealed class Closable : IDisposable
    {
        public int Closed { get; private set; }

        public Exception? Failure { get; init; }

        public void Dispose()
        {
            Closed++;
            if (Failure is not null)
            {
                throw Failure;
            }
        }
    }

    private sealed class AsyncClosable : IAsyncDisposable, IDisposable
    {
        public bool ClosedAsynchronously { get; private set; }

        public ValueTask DisposeAsync()
        {
            ClosedAsynchronously = true;
            return default;
        }

        public void Dispose() => throw new InvalidOperationException("There is a better way.");
    }

    private sealed class OnlyAsyncClosable : IAsyncDisposable
    {
        public int Closed { get; private set; }

        public async ValueTask DisposeAsync()
        {
            Closed++;
            await Task.Yield();
            throw new IOException("The server is gone.");
        }
    }
}
