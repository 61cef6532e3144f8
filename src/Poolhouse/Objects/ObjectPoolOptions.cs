namespace Poolhouse;

/// <summary>The settings of an object pool.</summary>
public sealed class ObjectPoolOptions : CacheOptions
{
    /// <summary>The default of <see cref="MaxRetained"/>.</summary>
    public const int DefaultMaxRetained = 1024;

    /// <summary>The largest allowed value of <see cref="MaxRetained"/>.</summary>
    internal const int LargestMaxRetained = 1 << 30;

    /// <summary>
    /// The maximum number of items the pool retains, over all threads together. Items returned beyond that are destroyed.
    /// </summary>
    /// <value>1,024 by default; 1 to 1,073,741,824.</value>
    /// <remarks>
    /// A strict bound that holds at every instant. It limits idle items, not rented ones: a cache never refuses a rent.
    /// </remarks>
    public int MaxRetained { get; set; } = DefaultMaxRetained;

    /// <summary>Whether the pool appears in metrics; false if it is part of another pool.</summary>
    internal bool IsReported { get; set; } = true;

    internal override void Validate(PoolOptionErrors errors)
    {
        base.Validate(errors);
        errors.CheckRange(MaxRetained, nameof(MaxRetained), 1, LargestMaxRetained);
    }
}
