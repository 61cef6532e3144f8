using Poolhouse.Workers;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Tests.Workers.Items;

/// <summary>Posts: items whose end is not awaited, and the chains of blocks that they wait in.</summary>
public sealed class Posts
{
    // Several blocks of the queue.
    private const int Many = 1_000;

    [Fact]
    public async Task Posts_of_different_types_get_their_own_argument_in_order()
    {
        using var pool = WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = 1 });
        using var meanwhile = new ManualResetEventSlim();
        List<string> ran = [];
        Assert.True(pool.TryPost(static (_, meanwhile) => Assert.True(meanwhile.Wait(Background.Limit)), meanwhile));

        var expected = new List<string>();
        for (var number = 0; number < Many; number++)
        {
            var name = $"{number}";
            var what = (number % 4) switch
            {
                0 => pool.TryPost((_, text) => ran.Add("text " + text), name),
                1 => pool.TryPost((_, version) => ran.Add("version " + version.Major), new Version(number, 0)),
                2 => pool.TryPost((_, value) => ran.Add("value " + value), number),
                _ => pool.TryPost((_, nothing) => ran.Add(nothing is null ? "nothing" : "something"), (object?)null),
            };
            Assert.True(what);
            expected.Add(
                (number % 4) switch { 0 => "text " + name, 1 => "version " + name, 2 => "value " + name, _ => "nothing" });
        }

        meanwhile.Set();
        await pool.DrainAsync(TestContext.Current.CancellationToken)
            .WaitAsync(Background.Limit, TestContext.Current.CancellationToken);

        Assert.Equal(expected, ran);
    }

    [Fact]
    public async Task A_delegate_for_a_base_type_accepts_an_argument_of_a_derived_type()
    {
        using var pool = WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = 1 });
        var heard = new TaskCompletionSource<object>(TaskCreationOptions.RunContinuationsAsynchronously);
        Action<NoState, object> hear = (_, argument) => heard.TrySetResult(argument);

        for (var post = 0; post < 3; post++)
        {
            Assert.True(pool.TryPost<string>(hear, "derived"));
        }

        await pool.DrainAsync(TestContext.Current.CancellationToken)
            .WaitAsync(Background.Limit, TestContext.Current.CancellationToken);
        Assert.Equal("derived", await heard.Task);
        Assert.Equal(0, pool.GetStatistics().Failed);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_segmented_queue_behaves_like_a_list_also_when_entries_are_removed_out_of_order(int seed)
    {
        var random = new Random(seed);
        var chain = new ItemChain();
        var model = new List<WorkItem?>();
        for (var step = 0; step < 20_000; step++)
        {
            // Long phases of growth and of shrinking, so that it goes through many blocks both ways.
            var grows = step / 2_000 % 2 == 0;
            switch (random.Next(100))
            {
                case < 95 when model.Count == 0 || random.Next(10) < (grows ? 7 : 3):
                    var item = new Item { IsTaken = false };
                    chain.Add(item);
                    model.Add(item);
                    break;
                case < 95:
                    Assert.Same(model[0], chain.Take());
                    model.RemoveAt(0);
                    break;
                case < 99 when model.Count > 0:
                    Empty(chain, model, random.Next(model.Count));
                    break;
                default:
                    chain.Compact();
                    model.RemoveAll(static item => item is null);
                    break;
            }

            Assert.Equal(model.Count, chain.Count);
        }

        var rest = new List<WorkItem?>();
        foreach (ref var entry in chain)
        {
            rest.Add(entry);
        }

        Assert.Equal(model, rest);
    }

    [Fact]
    public void A_segmented_queue_keeps_no_removed_entry_alive()
    {
        var chain = new ItemChain();
        var taken = Fill(chain);

        GC.Collect();

        Assert.DoesNotContain(taken, reference => reference.IsAlive);
        Assert.Equal(1, chain.Count);
        GC.KeepAlive(chain);
    }

    private static void Empty(ItemChain chain, List<WorkItem?> model, int position)
    {
        var index = 0;
        foreach (ref var entry in chain)
        {
            if (index++ == position)
            {
                entry = null;
            }
        }

        model[position] = null;
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static List<WeakReference> Fill(ItemChain chain)
    {
        for (var entry = 0; entry < Many; entry++)
        {
            chain.Add(new Item());
        }

        List<WeakReference> taken = [];
        while (chain.Count > 1)
        {
            taken.Add(new WeakReference(chain.Take()));
        }

        return taken;
    }

    private sealed class Item : WorkItem
    {
        public override void Finish()
        {
        }

        public override bool Fail(Exception failure) => false;
    }
}
