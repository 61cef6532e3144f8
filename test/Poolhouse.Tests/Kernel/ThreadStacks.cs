using Poolhouse.Caching.Threads;

namespace Poolhouse.Tests.Kernel;

/// <summary>
/// A stack behaves as a list with a limit for every sequence of operations; in particular around one item and none, which the
/// stack distinguishes by its lowest slot only.
/// </summary>
public sealed class ThreadStacks
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(ThreadStack.Capacity)]
    public void A_stack_behaves_as_a_list_with_a_limit(int limit)
    {
        const int Seed = 20_261_123;
        var random = new Random(Seed);
        for (var run = 0; run < 200; run++)
        {
            Play(random, new ThreadStack { Limit = limit }, limit);
        }
    }

    [Fact]
    public void A_closed_stack_accepts_and_gives_nothing()
    {
        var stack = new ThreadStack { Limit = 2 };
        Assert.True(stack.TryPush(new object()));
        Assert.Equal(2, stack.Close());

        Assert.Null(stack.TryPop());
        Assert.False(stack.TryPush(new object()));
        Assert.Equal(1, stack.Count);
    }

    [Fact]
    public void An_empty_closed_stack_accepts_nothing()
    {
        var stack = new ThreadStack();

        Assert.False(stack.TryPush(new object()));
        Assert.Equal(0, stack.Count);
    }

    private static void Play(Random random, ThreadStack stack, int limit)
    {
        var model = new List<object>();
        var popped = 0L;
        for (var step = 0; step < 100; step++)
        {
            switch (random.Next(9))
            {
                case < 3:
                    var item = model.Count > 0 && random.Next(4) == 0 ? model[^1] : new object();
                    var fits = model.Count < limit && (model.Count == 0 || model[^1] != item);
                    Assert.Equal(fits, stack.TryPush(item));
                    model.AddRange(fits ? [item] : []);
                    break;
                case < 6:
                    Assert.Same(model.LastOrDefault(), stack.TryPop());
                    popped += RemoveLast(model);
                    break;
                case 6 when model.Count > 0:
                    Assert.Same(model[^1], stack.LockedPop());
                    popped += RemoveLast(model);
                    break;
                case 7 when model.Count < limit:
                    model.Add(new object());
                    stack.LockedPush(model[^1]);
                    break;
                case 8:
                    var dropped = random.Next(model.Count + 1);
                    stack.LockedDropOldest(dropped);
                    model.RemoveRange(0, dropped);
                    if (model.Count == 0)
                    {
                        model.AddRange(Enumerable.Range(0, random.Next(limit + 1)).Select(_ => new object()));
                        stack.LockedFill([.. model]);
                    }

                    break;
                default:
                    break;
            }

            Assert.Equal(model, stack.LockedItems.ToArray());
            Assert.Equal(model.Count, stack.Count);
            Assert.Equal(popped, stack.Popped);
            Assert.Same(model.LastOrDefault(), stack.LockedTop);
            Assert.Equal(model.Count == limit, stack.IsFullWithout(new object()));
        }
    }

    private static int RemoveLast(List<object> items)
    {
        if (items.Count == 0)
        {
            return 0;
        }

        items.RemoveAt(items.Count - 1);
        return 1;
    }
}
