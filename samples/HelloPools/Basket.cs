using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.HelloPools;

// snippet: basket
internal sealed class Basket : IResettable
{
    public decimal Total { get; private set; }

    public void Add(decimal price) => Total += price;

    public bool TryReset()
    {
        Total = 0;
        return true;
    }
}
// end snippet
