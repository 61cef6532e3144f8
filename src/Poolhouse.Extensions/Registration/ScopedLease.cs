namespace Poolhouse.Extensions.Registration;

/// <summary>An item that belongs to a scope of the container until the scope ends.</summary>
internal sealed class ScopedLease<T>(TieredObjectPool<T> pool) : IDisposable
    where T : class
{
    private readonly Lease<T> _lease = pool.Rent();

    public T Item => _lease.Value;

    public void Dispose() => _lease.Dispose();
}
