using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples;

/// <summary>Adds up numbers; the default policy resets it on its return.</summary>
public sealed class Sheet : IResettable
{
    public long Total { get; private set; }

    public void Add(long number) => Total += number;

    public bool TryReset()
    {
        Total = 0;
        return true;
    }
}
