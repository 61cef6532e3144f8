using Poolhouse.Caching;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Tests.Caching;

/// <summary>
/// How long a thread keeps the empty slots of its stack: while it rents and returns in turns, but not while it only rents.
/// </summary>
public sealed class EmptyStacks
{
    private const int Max = 4;

    private readonly RetentionBudget _budget = new(Max);
    private readonly TieredStore _store;
    private readonly ThreadStack _own;
    private readonly object[] _items = [.. Enumerable.Range(0, Max).Select(_ => new object())];

    public EmptyStacks()
    {
        _store = new TieredStore(_budget, weight: 1);
        _own = _store.Own();

        // A thread that has only returned items so far would pass them on to other threads.
        for (var round = 0; round < Max; round++)
        {
            Return(_items[0]);
            Assert.Same(_items[0], _own.TryPop());
        }
    }

    [Fact]
    public void A_thread_that_rents_more_than_is_retained_and_returns_all_keeps_its_slots()
    {
        for (var round = 0; round < 10; round++)
        {
            ReturnAll();
            RentAll();
            for (var extra = 0; extra < ThreadStack.Capacity; extra++)
            {
                Miss();
                Assert.Equal((Max, 0L), (_own.Limit, _budget.Free));
            }
        }
    }

    [Fact]
    public void A_thread_that_only_rents_releases_its_slots_after_as_many_misses_as_a_stack_has_slots()
    {
        ReturnAll();
        RentAll();
        for (var miss = 0; miss < ThreadStack.Capacity; miss++)
        {
            Miss();
        }

        Assert.Equal((Max, 0L), (_own.Limit, _budget.Free));
        Miss();

        Assert.Equal((0, (long)Max), (_own.Limit, _budget.Free));
    }

    [Fact]
    public void A_thread_whose_items_came_from_other_threads_releases_its_slots_at_once()
    {
        ReturnAll();
        _store.Gather();
        for (var rented = 0; rented < Max; rented++)
        {
            Assert.NotNull(_own.TryPop() ?? _store.PopFromDepot(_own));
        }

        Miss();

        Assert.Equal((0, (long)Max), (_own.Limit, _budget.Free));
    }

    [Fact]
    public void The_items_that_an_ended_thread_left_on_the_stack_are_taken()
    {
        ReturnAll();

        Assert.Same(_items[^1], _store.PopFromDepot(_own));
        Assert.Equal((Max, 0L), (_own.Limit, _budget.Free));
    }

    private void ReturnAll()
    {
        foreach (var item in _items)
        {
            Return(item);
        }
    }

    private void Return(object item) =>
        Assert.True(_own.TryPush(item) || _store.PushToDepot(_own, item) == PushResult.Kept);

    private void RentAll()
    {
        foreach (var item in _items.Reverse())
        {
            Assert.Same(item, _own.TryPop());
        }
    }

    /// <summary>A rent that finds no item.</summary>
    private void Miss()
    {
        Assert.Null(_own.TryPop());
        Assert.Null(_store.PopFromDepot(_own));
    }
}
