using Microsoft.Extensions.ObjectPool;

namespace Poolhouse;

/// <summary>Creates every pool of an application as a <see cref="TieredObjectPool{T}"/>.</summary>
/// <remarks>
/// Register it in place of <see cref="DefaultObjectPoolProvider"/>, and code that depends on an <see cref="ObjectPoolProvider"/>
/// uses Poolhouse without changes:
/// <code>
/// services.AddSingleton&lt;ObjectPoolProvider&gt;(new TieredObjectPoolProvider());
/// </code>
/// Thread safe. The caller is responsible for disposing the pools it creates.
/// </remarks>
public sealed class TieredObjectPoolProvider : ObjectPoolProvider
{
    private readonly ObjectPoolOptions _options;

    /// <summary>Creates a provider.</summary>
    /// <param name="options">
    /// The settings of the pools it creates; <c>null</c> for the defaults. Each pool needs its own name, so the name in these
    /// options must be null.
    /// </param>
    /// <exception cref="ArgumentException">Some options are out of range, or a name was set; the message says which.</exception>
    public TieredObjectPoolProvider(ObjectPoolOptions? options = null)
    {
        _options = (options ?? new ObjectPoolOptions()).Freeze<ObjectPoolOptions>();
        if (_options.Name is not null)
        {
            throw new ArgumentException(
                $"Name is \"{_options.Name}\"; allowed: null, because all pools of the provider would share the name.",
                nameof(options));
        }
    }

    /// <inheritdoc/>
    public override ObjectPool<T> Create<T>(IPooledObjectPolicy<T> policy) => new TieredObjectPool<T>(policy, _options);
}
