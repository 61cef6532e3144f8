using System.Diagnostics;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>
/// How long callers that wait through an outage still wait when the server is back. All outages are shorter than their
/// OutageTimeout, so a single caller that is refused fails the bar.
/// </summary>
internal static class OutageBar
{
    public const string Name = "resource, served after an outage";
    private const int Outages = 21;
    private const double Allowed = 100;
    private const int Callers = 8;

    // Each outage ends at another moment of a pause.
    private static readonly TimeSpan _shortest = TimeSpan.FromMilliseconds(120);
    private static readonly TimeSpan _longer = TimeSpan.FromMilliseconds(7);
    private static readonly TimeSpan _refusal = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan _creation = TimeSpan.FromMilliseconds(20);

    private static int _refused;

    /// <summary>Milliseconds until the caller was served, in the worst of some outages, against those that are allowed.</summary>
    public static Outcome Measure()
    {
        _refused = 0;
        var worst = 0.0;
        var without = 0.0;
        for (var outage = 0; outage < Outages; outage++)
        {
            var length = _shortest + (outage * _longer);
            worst = Math.Max(worst, Measure(RentAsync, length));
            without = Math.Max(without, Measure(RetryAsync, length));
        }

        return new Outcome(
            Name, worst, $"allowed ms; {_refused} callers refused; without back-off {without:0}", Allowed,
            (worst / Allowed) + _refused, 1, null);
    }

    private static double Measure(Func<Server, Task> serve, TimeSpan length)
    {
        var server = new Server();
        var caller = serve(server);
        Thread.Sleep(length);
        server.IsBack = true;
        var back = Stopwatch.GetTimestamp();
        caller.GetAwaiter().GetResult();
        return Stopwatch.GetElapsedTime(back).TotalMilliseconds;
    }

    private static async Task RentAsync(Server server)
    {
        var pool = ResourcePool.Create(server.ConnectAsync, new ResourcePoolOptions { MaxSize = 2 });
        await using var _ = pool.ConfigureAwait(false);

        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => UseAsync(pool))).ConfigureAwait(false);
    }

    private static async Task UseAsync(ResourcePool<Thing> pool)
    {
        try
        {
            var lease = await pool.RentAsync().ConfigureAwait(false);
            await lease.DisposeAsync().ConfigureAwait(false);
        }
        catch (PoolUnavailableException)
        {
            Interlocked.Increment(ref _refused);
        }
    }

    /// <summary>A caller that tries again at once.</summary>
    private static async Task RetryAsync(Server server)
    {
        while (true)
        {
            try
            {
                await server.ConnectAsync(CancellationToken.None).ConfigureAwait(false);
                return;
            }
            catch (IOException)
            {
                // The next attempt follows at once.
            }
        }
    }

    private sealed class Server
    {
        private volatile bool _isBack;

        public bool IsBack
        {
            set => _isBack = value;
        }

        public async ValueTask<Thing> ConnectAsync(CancellationToken cancellationToken)
        {
            var isBack = _isBack;
            await Task.Delay(isBack ? _creation : _refusal, cancellationToken).ConfigureAwait(false);
            return isBack ? new Thing() : throw new IOException("down");
        }
    }
}
