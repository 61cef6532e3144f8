namespace Poolhouse.Tool.Bench.Growth;

/// <summary>Disposes several pools.</summary>
internal sealed class Owned(IEnumerable<IDisposable> pools) : IDisposable
{
    public void Dispose()
    {
        foreach (var pool in pools)
        {
            pool.Dispose();
        }
    }
}
