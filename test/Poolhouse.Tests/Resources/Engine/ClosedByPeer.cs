
namespace Poolhouse.Tests.Resources.Engine;

/// <summary>An item closed by its peer while idle is detected on rent, without a round trip.</summary>
public sealed class ClosedByPeer
{
    private static readonly TimeSpan _longEnough = TimeSpan.FromMilliseconds(10);

    private readonly HashSet<int> _closed = [];
    private readonly List<int> _asked = [];

    [Fact]
    public void A_rent_gets_the_next_idle_item_instead()
    {
        var bench = NewBench(maxSize: 3);
        bench.Fill(3);
        _closed.UnionWith([3, 2]);
        bench.Advance(_longEnough);

        Assert.Equal(1, bench.Rent().Value.Number);

        Assert.Equal([3, 2, 1], _asked);
        Assert.Equal((3, 2), (bench.Now.Created, bench.Now.DestroyedFor(DestroyReason.Broken)));
        bench.AssertBalanced();
    }

    [Fact]
    public void A_rent_gets_a_new_item_if_all_are_closed()
    {
        var bench = NewBench(maxSize: 2);
        bench.Fill(2);
        _closed.UnionWith([1, 2]);
        bench.Advance(_longEnough);

        Assert.Equal(3, bench.Rent().Value.Number);

        Assert.Equal((1, 0), (bench.Now.Live, bench.Now.Idle));
        bench.AssertBalanced();
    }

    [Fact]
    public void TryRent_gets_the_next_idle_item_too()
    {
        var bench = NewBench(maxSize: 2);
        bench.Fill(2);
        _closed.Add(2);
        bench.Advance(_longEnough);

        Assert.True(bench.Pool.TryRent(out var lease));
        Assert.Equal(1, lease.Value.Number);

        _closed.Add(1);
        bench.Return(lease);
        bench.Advance(_longEnough);
        Assert.False(bench.Pool.TryRent(out _));
        bench.Run();
        bench.AssertBalanced();
    }

    [Fact]
    public async Task A_waiter_of_a_suspended_pool_gets_no_item_that_was_closed_meanwhile()
    {
        var bench = NewBench(maxSize: 2);
        bench.Fill(2);
        bench.Pool.Suspend();
        var waiting = bench.RequestAsync();
        _closed.UnionWith([1, 2]);
        bench.Advance(_longEnough);

        bench.Pool.Resume();
        bench.Run();

        Assert.Equal(3, (await waiting.WaitAsync(Background.Limit)).Value.Number);
        Assert.True(bench.Now.DestroyedFor(DestroyReason.Broken) >= 1);
        bench.AssertBalanced();
    }

    [Fact]
    public void An_item_in_constant_use_is_not_checked()
    {
        var bench = NewBench();
        bench.Fill(1);
        _closed.Add(1);

        bench.Advance(_longEnough - TimeSpan.FromTicks(1));
        bench.Return(bench.Rent());
        bench.Advance(_longEnough - TimeSpan.FromTicks(1));
        bench.Return(bench.Rent());
        Assert.Empty(_asked);

        bench.Advance(_longEnough);
        Assert.Equal(2, bench.Rent().Value.Number);
        Assert.Equal([1], _asked);
    }

    [Fact]
    public void A_return_does_not_check()
    {
        var bench = NewBench();
        var lease = bench.Rent();
        bench.Advance(1);

        bench.Return(lease);

        Assert.Empty(_asked);
    }

    [Fact]
    public void An_IsClosed_that_throws_counts_as_closed()
    {
        var bench = NewBench();
        bench.Policy.IsBrokenAfterIdleHook = _ => throw new InvalidOperationException();
        bench.Fill(1);
        bench.Advance(_longEnough);

        Assert.Equal(2, bench.Rent().Value.Number);
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.Broken));
    }

    [Fact]
    public void Only_items_that_are_not_closed_are_validated()
    {
        var bench = NewBench(maxSize: 2);
        List<int> validated = [];
        bench.Policy.Validates = (part, _, _) =>
        {
            validated.Add(part.Number);
            return new ValueTask<bool>(result: true);
        };
        bench.Fill(2);
        _closed.Add(2);
        bench.Advance(2);

        Assert.Equal(1, bench.Rent().Value.Number);

        Assert.Equal([1], validated);
        Assert.Equal(0, bench.Now.DestroyedFor(DestroyReason.ValidationFailed));
    }

    [Fact]
    public async Task A_closed_child_does_not_affect_its_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Children.IsBrokenAfterIdleHook = leaf => _closed.Contains(leaf.Number);
        var first = await bench.RentAsync();
        first.Dispose();
        _closed.Add(1);
        bench.Clock.Advance(_longEnough);

        var next = await bench.RentAsync();

        Assert.Equal(2, next.Value.Number);
        Assert.Equal((1, 1), (bench.ParentsNow.Created, bench.Now.DestroyedFor(DestroyReason.Broken)));
    }

    private Workbench NewBench(int maxSize = 1) => new(maxSize)
    {
        Policy =
        {
            IsBrokenAfterIdleHook = part =>
            {
                _asked.Add(part.Number);
                return _closed.Contains(part.Number);
            },
        },
    };
}
