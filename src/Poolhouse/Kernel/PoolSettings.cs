namespace Poolhouse.Kernel;

/// <summary>What every kind of pool does with its options.</summary>
internal static class PoolSettings
{
    /// <summary>
    /// Returns a copy that the caller can no longer change, or throws one exception that names every invalid setting.
    /// </summary>
    public static T Freeze<T>(this T settings)
        where T : class, IPoolSettings<T> => settings.FreezeChange(current: null);

    /// <summary>
    /// Returns a copy that can replace the current settings of a pool, or throws one exception that names every setting that is
    /// invalid or cannot be changed. For a new pool there are no current ones.
    /// </summary>
    public static T FreezeChange<T>(this T settings, T? current)
        where T : class, IPoolSettings<T>
    {
        var errors = new PoolOptionErrors();
        settings.Validate(errors, prefix: string.Empty);
        if (current is not null)
        {
            settings.ValidateChange(errors, prefix: string.Empty, current);
        }

        errors.ThrowIfAny(settings);
        return settings.CopyOver(current);
    }

    /// <inheritdoc cref="IPoolSettings{T}.Validate"/>
    public static void Validate<T>(this T settings, PoolOptionErrors errors, string prefix)
        where T : class, IPoolSettings<T> => settings.Validate(errors, prefix);

    /// <inheritdoc cref="IPoolSettings{T}.ValidateChange"/>
    public static void ValidateChange<T>(this T settings, PoolOptionErrors errors, string prefix, T current)
        where T : class, IPoolSettings<T> => settings.ValidateChange(errors, prefix, current);

    /// <inheritdoc cref="IPoolSettings{T}.CopyOver"/>
    public static T CopyOver<T>(this T settings, T? current)
        where T : class, IPoolSettings<T> => settings.CopyOver(current);

    /// <summary>Returns a copy of validated settings.</summary>
    public static T Copy<T>(this T settings)
        where T : class, IPoolSettings<T> => settings.CopyOver(current: null);

    /// <summary>Returns a copy in which some values are different: a resize is a reconfiguration of one value.</summary>
    public static T With<T>(this T settings, Action<T> change)
        where T : class, IPoolSettings<T>
    {
        var copy = settings.CopyOver(current: null);
        change(copy);
        return copy;
    }
}
