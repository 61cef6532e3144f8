using System.Globalization;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Faults.Kinds;

namespace Poolhouse.Data.Tests.Soak;

/// <summary>
/// Counts a pool's sessions on the server again and again: never more than MaxSize and those that are being closed (promise I2).
/// </summary>
/// <remarks>
/// The server needs a moment to end a session whose client has gone. So sessions whose end began in the last second count as
/// being closed; and so does a session that an administrator or a given-up creation left on its way out. A session on which the
/// provider cancels a statement is not the pool's.
/// </remarks>
internal sealed class SessionSampler : IAsyncDisposable
{
    private static readonly TimeSpan _closing = TimeSpan.FromSeconds(1);

    private readonly PoolUser _user;
    private readonly ISessionWatch _watch;
    private readonly CancellationTokenSource _ended = new();
    private readonly Queue<(TimeSpan At, long Gone)> _past = [];
    private readonly List<string> _violations = [];
    private Task _sampling = Task.CompletedTask;

    private SessionSampler(PoolUser user, ISessionWatch watch) => (_user, _watch) = (user, watch);

    public int Samples { get; private set; }

    /// <summary>The most sessions that were seen.</summary>
    public long Most { get; private set; }

    public IReadOnlyList<string> Violations => _violations;

    public static SessionSampler Start(PoolUser user, ISessionWatch watch)
    {
        var sampler = new SessionSampler(user, watch);
        sampler._sampling = Task.Run(sampler.SampleAsync, CancellationToken.None);
        return sampler;
    }

    public async Task StopAsync()
    {
        await _ended.CancelAsync();
        await Patience.WithinAsync(_sampling);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _ended.Dispose();
    }

    private async Task SampleAsync()
    {
        var clock = TimeProvider.System;
        var started = clock.GetTimestamp();
        while (!_ended.IsCancellationRequested)
        {
            var before = GoneOf(_user.Statistics, clock.GetElapsedTime(started));
            var sessions = await _watch.ListAsync(_user.SessionName);
            var count = sessions.Count(session => _user.IsOwn(int.Parse(session.Split(' ')[0], CultureInfo.InvariantCulture)));
            var statistics = _user.Statistics;
            var closing = GoneOf(statistics, clock.GetElapsedTime(started)).Now - before.Past;
            Samples++;
            Most = Math.Max(Most, count);
            if (count > statistics.MaxSize + closing)
            {
                _violations.Add(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{clock.GetElapsedTime(started).TotalSeconds:0.000} s: {count} sessions with MaxSize " +
                    $"{statistics.MaxSize} and {closing} being closed: {string.Join("; ", sessions)} {statistics}"));
            }

#pragma warning disable RS0030 // A pause between two readings of a server.
            await Task.Delay(TimeSpan.FromMilliseconds(20), CancellationToken.None);
#pragma warning restore RS0030
        }
    }

    /// <summary>How many items have gone until now, and until a moment ago.</summary>
    private (long Now, long Past) GoneOf(ResourcePoolStatistics statistics, TimeSpan at)
    {
        var now = statistics.Destroyed + statistics.CreateFailures + statistics.Abandoned;
        _past.Enqueue((at, now));
        while (_past.Count > 1 && _past.ElementAt(1).At < at - _closing)
        {
            _past.Dequeue();
        }

        return (now, _past.Peek().Gone);
    }
}
