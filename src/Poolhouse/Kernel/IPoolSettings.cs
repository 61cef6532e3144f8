namespace Poolhouse.Kernel;

/// <summary>Options as a pool handles them: it validates all settings together and keeps a copy.</summary>
/// <typeparam name="TSettings">The type of the options.</typeparam>
internal interface IPoolSettings<TSettings>
    where TSettings : class, IPoolSettings<TSettings>
{
    /// <summary>Adds an error for each invalid setting.</summary>
    void Validate(PoolOptionErrors errors, string prefix);

    /// <summary>Adds an error for each setting that differs from the current one and cannot be changed.</summary>
    void ValidateChange(PoolOptionErrors errors, string prefix, TSettings current);

    /// <summary>
    /// Returns a copy of validated settings, together with those that they contain. Where they replace others, it has the names
    /// and internal settings of those.
    /// </summary>
    TSettings CopyOver(TSettings? current);
}
