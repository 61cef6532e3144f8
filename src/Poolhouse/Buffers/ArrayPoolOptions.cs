namespace Poolhouse;

/// <summary>The settings of an array or memory pool.</summary>
public sealed class ArrayPoolOptions : CacheOptions
{
    /// <summary>The default of <see cref="MaxRetainedBytes"/>: 256 MiB.</summary>
    public const long DefaultMaxRetainedBytes = 256L << 20;

    /// <summary>The largest allowed value of <see cref="MaxRetainedBytes"/>: 1 TiB.</summary>
    internal const long LargestMaxRetainedBytes = 1L << 40;

    /// <summary>
    /// The maximum number of bytes the pool retains, over all lengths and threads together. Arrays returned beyond that are
    /// dropped.
    /// </summary>
    /// <value>268,435,456 (256 MiB) by default; 0 to 1,099,511,627,776 (1 TiB). With 0 the pool retains nothing.</value>
    /// <remarks>A strict bound that holds at every instant, on the elements of idle arrays. Rented arrays do not count.</remarks>
    public long MaxRetainedBytes { get; set; } = DefaultMaxRetainedBytes;

    /// <summary>When the pool clears the content that its users left in an array.</summary>
    /// <value><see cref="ClearPolicy.References"/> by default.</value>
    public ClearPolicy Clear { get; set; } = ClearPolicy.References;

    internal override void Validate(PoolOptionErrors errors)
    {
        base.Validate(errors);
        errors.CheckRange(MaxRetainedBytes, nameof(MaxRetainedBytes), 0, LargestMaxRetainedBytes);
        errors.Check(
            Clear is >= ClearPolicy.Never and <= ClearPolicy.Sensitive,
            nameof(Clear), Clear, "Never, References, Always or Sensitive");
    }
}
