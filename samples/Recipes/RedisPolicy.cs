using StackExchange.Redis;

namespace Poolhouse.Samples.Recipes;

// snippet: redis-policy
internal sealed class RedisPolicy(ConfigurationOptions server) : ResourcePolicy<ConnectionMultiplexer>
{
    public override async ValueTask<ConnectionMultiplexer> CreateAsync(CancellationToken cancellationToken) =>
        await ConnectionMultiplexer.ConnectAsync(server); // fails within ConnectTimeout: keep it below CreateTimeout

    // The multiplexer reconnects by itself, but the pool has others, or a new one, sooner.
    public override bool IsBroken(ConnectionMultiplexer item) => !item.IsConnected;

    public override async ValueTask KeepAliveAsync(ConnectionMultiplexer item, CancellationToken cancellationToken) =>
        await item.GetDatabase().PingAsync();
}
// end snippet
