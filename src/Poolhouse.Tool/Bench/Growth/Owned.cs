namespace Poolhouse.Tool.Bench.Growth;

/// <summary>Disposes several leases and pools, in their order.</summary>
internal sealed class Owned(IEnumerable<IDisposable> items) : IDisposable
{
    public void Dispose()
    {
        foreach (var item in items)
        {
            item.Dispose();
        }
    }
}
