using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.Cookbook;

/// <summary>An object that is emptied before the next user gets it.</summary>
internal sealed class Basket : IResettable
{
    private readonly List<string> _items = [];

    public int Count => _items.Count;

    public void Add(string item) => _items.Add(item);

    public bool TryReset()
    {
        _items.Clear();
        return true;
    }
}
