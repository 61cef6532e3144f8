using System.Net;
using Poolhouse.Http.Internal;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Http;

/// <summary>
/// Spreads requests over several inner handlers, each with its own connections, which can be replaced while requests are in
/// progress.
/// </summary>
/// <remarks>
/// <para>
/// Use it for more than one connection over HTTP/2, to spread requests over the addresses of a host or behind a connection
/// balancer, and to renew connections by age or when the addresses of the host change. A shard that is replaced takes no more
/// requests, completes those that it has, and is disposed when the body of its last response has ended: see
/// <see cref="BulkheadHandler"/> for when that is.
/// </para>
/// <para>
/// Thread safe. Disposing it retires every shard; requests in progress continue. A handler that is not disposed is garbage
/// collected together with its shards.
/// </para>
/// <code>
/// using var client = new HttpClient(new ShardedHandler(new ShardedHandlerOptions { Shards = 4, WatchedHosts =
/// ["api.example.org"] }));
/// </code>
/// </remarks>
// Invariants
//   a slot always holds a shard; one that was replaced is retired after it has left its slot, so code that finds it retired finds
//   another there
//   one renewal a slot at a time, and one look-up at a time
//   _due and _reasons of a slot are those of the next renewal, not of one that has begun
//   a clear or a change of addresses first raises _version, and then replaces the shards or schedules it: a shard whose creation
//   began before replaces no newer one, and takes back no due time
// Locks: _gate around slots, due times and counts. Handlers are created and warmed up outside it.
public sealed partial class ShardedHandler : HttpMessageHandler
{
    private static readonly TimeSpan _retryDelay = TimeSpan.FromMinutes(1);

    private readonly Gate _gate = new();
    private readonly ShardedHandlerOptions _options;
    private readonly Shard[] _shards;
    private readonly long[] _due;
    private readonly bool[] _renewing;
    private readonly RenewalReason[] _reasons;
    private readonly RenewalTimer _timer;
    private readonly DnsWatch _watch;
    private readonly CookieContainer _cookies = new();
    private readonly CancellationTokenSource _closing = new();
    private readonly CancellationToken _whenClosed;
    private WarmUpPlan? _warmUp;
    private long _version;
    private long _nextResolve = RenewalTimer.Never;
    private long _retiredForLifetime;
    private long _retiredForDns;
    private long _cleared;
    private long _createFailures;
    private int _retiring;
    private uint _turn;
    private bool _closed;

    /// <summary>
    /// Creates a handler and its shards. Connections are opened when they are needed, or by
    /// <see cref="WarmUpAsync(Uri, int, HttpWarmUpOptions, CancellationToken)"/>.
    /// </summary>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names every invalid setting.</exception>
    /// <exception cref="InvalidOperationException">
    /// <see cref="ShardedHandlerOptions.CreateHandler"/> returned null. Exceptions that it throws are passed on.
    /// </exception>
    public ShardedHandler(ShardedHandlerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        _timer = new RenewalTimer(_options.TimeProvider, Look);
        _watch = new DnsWatch(_options);
        _whenClosed = _closing.Token;
        _shards = new Shard[_options.Shards];
        _due = new long[_options.Shards];
        _renewing = new bool[_options.Shards];
        _reasons = new RenewalReason[_options.Shards];
        CreateAll();
        if (_options.WatchedHosts.Count > 0)
        {
            _ = LookUpAsync();
        }

        _timer.ScheduleAt(_due.Min());
    }

    /// <summary>
    /// Opens the given number of connections in each shard, and from now on also in each replacement before it takes requests,
    /// except for those of a <see cref="Clear"/> without a spread.
    /// </summary>
    /// <param name="address">An absolute address that is cheap to request, on the host to connect to.</param>
    /// <param name="connectionsPerShard">The number of connections; 1 to 10,000. Over HTTP/2 a shard has one connection,
    /// regardless of the number.</param>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Cancels the warm-up; open connections stay open.</param>
    /// <returns>A task that completes when they are open.</returns>
    /// <exception cref="ArgumentException">Settings are invalid; the message names every invalid setting.</exception>
    /// <exception cref="ObjectDisposedException">The handler is disposed.</exception>
    /// <remarks>
    /// It also throws the exceptions of <see cref="HttpWarmUp.WarmUpAsync"/>. A replacement shard that cannot be warmed up is
    /// used nevertheless.
    /// </remarks>
    public Task WarmUpAsync(
        Uri address, int connectionsPerShard, HttpWarmUpOptions? options = null, CancellationToken cancellationToken = default)
    {
        var plan = new WarmUpPlan(address, connectionsPerShard, options);
        Shard[] shards;
        using (_gate.Enter())
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            _warmUp = plan;
            shards = [.. _shards];
        }

        return Task.WhenAll(shards.Select(shard => WarmUpAsync(plan, shard, cancellationToken)));
    }

    /// <summary>Replaces every shard: after a failover, or after credentials of the connections were rotated.</summary>
    /// <param name="spread">
    /// The time over which the shards are replaced, each at a random moment, so that their connections are not all opened again
    /// at once; zero (now, without a warm-up) to 1 day.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The handler is disposed.</exception>
    /// <exception cref="InvalidOperationException">
    /// <see cref="ShardedHandlerOptions.CreateHandler"/> returned null. Exceptions that it throws are passed on.
    /// </exception>
    public void Clear(TimeSpan spread = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(spread, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(spread, TimeSpan.FromDays(1));
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _closed), this);
        if (spread > TimeSpan.Zero)
        {
            ClearWithin(spread.Ticks);
            return;
        }

        Interlocked.Increment(ref _version);
        for (var slot = 0; slot < _shards.Length; slot++)
        {
            Put(slot, CreateShard(), RenewalReason.Cleared);
        }
    }

    /// <summary>Reads the counters.</summary>
    /// <returns>An immutable snapshot.</returns>
    public ShardedHandlerStatistics GetStatistics()
    {
        using (_gate.Enter())
        {
            var now = _timer.Now;
            return new ShardedHandlerStatistics
            {
                Shards =
                [
                    .. _shards.Select(
                        shard => new ShardStatistics
                        {
                            Outstanding = shard.Outstanding,
                            Requests = shard.Requests,
                            Age = TimeSpan.FromTicks(now - shard.CreatedAt),
                        }),
                ],
                Retiring = _retiring,
                RetiredForLifetime = _retiredForLifetime,
                RetiredForDns = _retiredForDns,
                Cleared = _cleared,
                ResolveFailures = _watch.Failures,
                CreateFailures = _createFailures,
            };
        }
    }

    /// <inheritdoc/>
    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        var shard = Begin(request);
        Task<HttpResponseMessage> sending;
        try
        {
            sending = shard.Invoker.SendAsync(request, cancellationToken);
        }
        catch
        {
            shard.End();
            throw;
        }

        return shard.UntilBodyEndsAsync(sending, HeldContent.ExpectedFor(request));
    }

    /// <inheritdoc/>
    protected override HttpResponseMessage Send(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        var shard = Begin(request);
        try
        {
            return HeldContent.Attach(shard.Invoker.Send(request, cancellationToken), HeldContent.ExpectedFor(request), shard);
        }
        catch
        {
            shard.End();
            throw;
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            using (_gate.Enter())
            {
                if (_closed)
                {
                    return;
                }

                _closed = true;
                _retiring += _shards.Length;
            }

            foreach (var shard in _shards)
            {
                shard.Retire();
            }

            _timer.Dispose();

            // The callbacks are user code, which may block or throw.
            _ = DetachedCancellation.CancelAndDisposeAsync(_closing);
        }

        base.Dispose(disposing);
    }
}
