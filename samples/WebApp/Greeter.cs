using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples;

/// <summary>A service that creates its own pool with the injected provider.</summary>
public sealed class Greeter
{
    private readonly DirtyItems _dirty;

    public Greeter(ObjectPoolProvider pools, DirtyItems dirty)
    {
        ArgumentNullException.ThrowIfNull(pools);
        Texts = pools.CreateStringBuilderPool(initialCapacity: 64, maximumRetainedCapacity: 256);
        _dirty = dirty;
    }

    internal ObjectPool<StringBuilder> Texts { get; }

    public string Greet(string name)
    {
        var text = Texts.Get();
        _dirty.CountIf(text.Length > 0);
        text.Append("Hello, ").Append(name).Append('!');
        var greeting = text.ToString();
        Texts.Return(text);
        return greeting;
    }
}
