using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>One session takes the place of another, as it does when a pool is chosen on the screen.</summary>
[Collection(nameof(WatchedAlone))]
public sealed class SuccessiveSessions
{
    private const int Rounds = 8;

    // So many that sessions begin in the middle of a picture.
    private const int Pools = 200;

    private static readonly TimeSpan _interval = TimeSpan.FromSeconds(0.1);

    [Fact]
    public async Task Each_picture_has_all_pools()
    {
        var client = new DiagnosticsClient(Environment.ProcessId);
        var pools = Enumerable.Range(0, Pools).Select(NewPool).ToList();
        var model = new WatchModel();
        EventSession? before = null;
        try
        {
            for (var round = 0; round < Rounds; round++)
            {
                var session = await StartAsync();
                try
                {
                    await SeesAllAsync();
                    await SeesAllAsync();
                }
                finally
                {
                    before?.Dispose();
                    before = session;
                }

                await SeesAllAsync();
            }
        }
        finally
        {
            before?.Dispose();
            foreach (var pool in pools)
            {
                await pool.DisposeAsync();
            }
        }

        Task<EventSession> StartAsync() =>
            PoolSessions.StartAsync(client, model, _interval, detail: null, TestContext.Current.CancellationToken);

        async Task SeesAllAsync()
        {
            await Sessions.UntilAsync(model, model.Pictures + 1);
            var seen = model.Diagnose().Select(each => each.Pool.Name).ToHashSet(StringComparer.Ordinal);
            Assert.Empty(pools.Select(pool => pool.Name).Except(seen, StringComparer.Ordinal));
        }
    }

    private static ResourcePool<string> NewPool(int number) => ResourcePool.Create(
        _ => new ValueTask<string>("item"),
        new ResourcePoolOptions { MaxSize = 1, Name = string.Create(CultureInfo.InvariantCulture, $"pool {number}") });
}
