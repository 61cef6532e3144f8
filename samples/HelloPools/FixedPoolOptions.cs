namespace Poolhouse.Samples.HelloPools;

// snippet: own-pool-options
internal sealed class FixedPoolOptions
{
    public required int Size { get; set; }

    public string? Name { get; set; }

    public FixedPoolOptions Freeze()
    {
        var errors = new PoolOptionErrors();
        errors.CheckRange(Size, nameof(Size), 1, 1_000);
        errors.ThrowIfAny(this);
        return (FixedPoolOptions)MemberwiseClone();
    }
}
// end snippet
