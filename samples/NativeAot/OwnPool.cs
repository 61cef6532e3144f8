namespace Poolhouse.Samples.NativeAot;

/// <summary>A pool of one's own: one item, which a lease ends once.</summary>
internal sealed class OwnPool : LeaseSource<int[]>
{
    private LeasableItem<int[]>? _idle;

    public OwnPool()
        : base("own") => _idle = Add(new int[1]);

    public bool HasIdle => _idle is not null;

    public Lease<int[]> Rent()
    {
        var item = _idle!;
        _idle = null;
        return BeginLease(item);
    }

    protected override void OnReturned(LeasableItem<int[]> item, bool isTainted) => _idle = item;

    protected override void OnDiscarded(LeasableItem<int[]> item) => _idle = Add(new int[1]);

    protected override void OnDetached(LeasableItem<int[]> item) => _idle = Add(new int[1]);
}
