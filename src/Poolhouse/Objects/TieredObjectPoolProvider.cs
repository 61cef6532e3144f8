using Microsoft.Extensions.ObjectPool;

namespace Poolhouse;

/// <summary>Makes every pool of an application a <see cref="TieredObjectPool{T}"/>.</summary>
/// <remarks>
/// Register it in place of <see cref="DefaultObjectPoolProvider"/> and the code that asks for an <see cref="ObjectPoolProvider"/> runs
/// on Poolhouse unchanged:
/// <code>
/// services.AddSingleton&lt;ObjectPoolProvider&gt;(new TieredObjectPoolProvider());
/// </code>
/// Thread safe. The pools it makes are the caller's to dispose.
/// </remarks>
public sealed class TieredObjectPoolProvider : ObjectPoolProvider
{
    private readonly ObjectPoolOptions _options;

    /// <summary>Makes a provider.</summary>
    /// <param name="options">The settings of the pools it makes; <c>null</c>: the defaults. Each pool needs a name of its own, so a name
    /// given here must be null.</param>
    /// <exception cref="ArgumentException">Some options are out of range, or a name was given; the message says which.</exception>
    public TieredObjectPoolProvider(ObjectPoolOptions? options = null)
    {
        _options = (options ?? new ObjectPoolOptions()).Freeze<ObjectPoolOptions>();
        if (_options.Name is not null)
        {
            throw new ArgumentException(
                $"Name is \"{_options.Name}\"; allowed: null, because the pools of one provider would all get the same name.", nameof(options));
        }
    }

    /// <inheritdoc/>
    public override ObjectPool<T> Create<T>(IPooledObjectPolicy<T> policy) => new TieredObjectPool<T>(policy, _options);
}
