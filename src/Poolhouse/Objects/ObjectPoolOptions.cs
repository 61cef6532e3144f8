using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>The settings of an object pool.</summary>
public sealed class ObjectPoolOptions : CacheOptions
{
    /// <summary>The default of <see cref="MaxRetained"/>.</summary>
    public const int DefaultMaxRetained = 1024;

    /// <summary>The largest <see cref="MaxRetained"/>.</summary>
    public const int LargestMaxRetained = 1 << 30;

    /// <summary>How many items the pool keeps at most, over all threads together. What comes back beyond that is destroyed.</summary>
    /// <value>1,024 by default; 1 to 1,073,741,824.</value>
    /// <remarks>A strict bound, at every instant. It limits what is idle, not what is rented: a cache never refuses a rent.</remarks>
    public int MaxRetained { get; set; } = DefaultMaxRetained;

    /// <summary>Whether the pool shows in metrics; not if it is a part of another one.</summary>
    internal bool IsReported { get; set; } = true;

    internal override void Validate(SettingErrors errors)
    {
        base.Validate(errors);
        errors.CheckRange(MaxRetained, nameof(MaxRetained), 1, LargestMaxRetained);
    }
}
