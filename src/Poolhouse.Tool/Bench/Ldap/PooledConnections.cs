using System.DirectoryServices.Protocols;
using Poolhouse.Ldap;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A pool.</summary>
internal sealed class PooledConnections(LdapTarget target, LdapPoolOptions options) : LdapConnections
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(2);
    private readonly LdapConnectionPool _pool = new(options);
    private readonly int _size = options.Pool.MaxSize;

    public override long Opened => _pool.GetStatistics().Created;

    public override void Use(Action<LdapConnection> work, CancellationToken cancellation)
    {
        using var lease = _pool.Rent(cancellation);
        work(lease.Value);
    }

    public override async Task SearchAsync(CancellationToken giveUp) =>
        await _pool.SendAsync<SearchResponse>(target.Search(), giveUp).ConfigureAwait(false);

    public override int CountLost(CancellationToken cancellation)
    {
        var held = new List<Lease<PooledLdapConnection>>();
        try
        {
            while (held.Count < _size)
            {
                held.Add(_pool.Rent(_patience, cancellation));
            }
        }
        catch (Exception refusal) when (refusal is IPoolException)
        {
            // So many can be held at the same time.
        }
        finally
        {
            held.ForEach(lease => lease.Dispose());
        }

        return _size - held.Count;
    }

    public override ValueTask DisposeAsync() => _pool.DisposeAsync();
}
