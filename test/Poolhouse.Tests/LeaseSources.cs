namespace Poolhouse.Tests;

/// <summary>The leases of a pool that is not part of the library.</summary>
public sealed class LeaseSources
{
    private readonly Source _source = new();

    [Fact]
    public void A_lease_ends_once_and_later_ends_are_counted()
    {
        var item = _source.Add("a");
        var lease = _source.Begin(item);
        Assert.Equal(("a", true, 1L), (lease.Value, item.IsLeased, lease.Info.Uses));

        lease.Dispose();
        lease.Discard();
        Assert.Throws<ObjectDisposedException>(() => lease.Value);

        Assert.Equal(["returned a"], _source.Ends);
        Assert.Equal((1L, false), (_source.Doubles, item.IsLeased));
    }

    [Fact]
    public void The_source_is_notified_how_a_lease_ended()
    {
        var items = new[] { _source.Add("a"), _source.Add("b"), _source.Add("c") };
        _source.Begin(items[0]).Discard();
        Assert.Equal("b", _source.Begin(items[1]).Detach());
        var tainted = _source.Begin(items[2]);
        tainted.Taint();
        tainted.Dispose();

        Assert.Equal(["discarded a", "detached b", "returned c tainted"], _source.Ends);
    }

    [Fact]
    public void A_taint_and_an_end_of_a_former_lease_do_not_affect_the_next()
    {
        var item = _source.Add("a");
        var former = _source.Begin(item);
        former.Dispose();
        var next = _source.Begin(item);

        former.Taint();
        former.Dispose();
        Assert.True(next.IsActive);
        next.Dispose();

        Assert.Equal(["returned a", "returned a"], _source.Ends);
    }

    [Fact]
    public void An_item_has_one_lease_at_a_time_although_several_threads_try()
    {
        var item = _source.Add("a");
        for (var round = 0; round < 200; round++)
        {
            var leases = new Lease<string>?[4];
            Parallel.For(
                0, leases.Length, new ParallelOptions { MaxDegreeOfParallelism = 4 }, index => leases[index] = TryBegin(item));
            Assert.Single(leases, lease => lease is not null).GetValueOrDefault().Dispose();
        }

        Assert.Equal(200, item.Uses);
    }

    [Fact]
    public void A_foreign_item_is_rejected()
    {
        Assert.Throws<ArgumentException>("item", () => _source.Begin(new Source().Add("a")));
        Assert.Throws<ArgumentNullException>("item", () => _source.Begin(null!));
    }

    [Fact]
    public void The_item_of_a_lease_is_found_until_the_lease_ends()
    {
        var item = _source.Add("a");
        var lease = _source.Begin(item);
        Assert.Same(item, _source.Find(lease));

        lease.Dispose();
        Assert.Null(_source.Find(lease));
        var next = _source.Begin(item);

        Assert.Null(_source.Find(lease));
        Assert.Same(item, _source.Find(next));
        Assert.Null(_source.Find(default));
    }

    [Fact]
    public void A_foreign_lease_is_rejected()
    {
        using var pool = new TieredObjectPool<string>(static () => "b");
        using var pooled = pool.Rent();
        var other = new Source();

        Assert.Throws<ArgumentException>("lease", () => _source.Find(other.Begin(other.Add("a"))));
        Assert.Throws<ArgumentException>("lease", () => _source.Find(pooled));
    }

    private Lease<string>? TryBegin(LeasableItem<string> item)
    {
        try
        {
            return _source.Begin(item);
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    private sealed class Source() : LeaseSource<string>("own")
    {
        public List<string> Ends { get; } = [];

        public long Doubles => DoubleReturns;

        public new LeasableItem<string> Add(string item) => base.Add(item);

        public Lease<string> Begin(LeasableItem<string> item) => BeginLease(item);

        public LeasableItem<string>? Find(Lease<string> lease) => FindItem(lease);

        protected override void OnReturned(LeasableItem<string> item, bool isTainted) =>
            Ends.Add($"returned {item.Value}{(isTainted ? " tainted" : "")}");

        protected override void OnDiscarded(LeasableItem<string> item) => Ends.Add($"discarded {item.Value}");

        protected override void OnDetached(LeasableItem<string> item) => Ends.Add($"detached {item.Value}");
    }
}
