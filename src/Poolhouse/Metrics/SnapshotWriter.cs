using System.Globalization;
using System.Runtime.CompilerServices;

namespace Poolhouse.Metrics;

/// <summary>
/// Writes the state of every pool at an interval, from the start of the first session until the end of the last.
/// </summary>
// On a thread of its own: an exhausted thread pool is often the reason for a session, and would delay a timer as well.
internal sealed class SnapshotWriter
{
    private const int MostDetails = 4;

    private static readonly TimeSpan _defaultInterval = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan _shortestInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan _longestInterval = TimeSpan.FromHours(1);

    private readonly PoolEventSource _log;

    // Of this writer alone: the one before may still be ending when the next session begins.
    private PoolDetail? _kept;

    private BlockingEvent _wake = new();
    private TimeSpan? _interval;
    private string[] _details = [];
    private bool _stopped;

    public SnapshotWriter(PoolEventSource log)
    {
        _log = log;
        new Thread(Run) { IsBackground = true, Name = "Poolhouse snapshots" }.UnsafeStart();
    }

    /// <summary>
    /// Applies the arguments of a session that begins: the shortest interval is used, and the last pools in detail.
    /// </summary>
    /// <param name="arguments">None when a session ends while another one continues, which changes nothing.</param>
    public void Apply(IDictionary<string, string?>? arguments)
    {
        var interval = _interval ?? _defaultInterval;
        if (arguments?.TryGetValue("Interval", out var seconds) == true
            && double.TryParse(seconds, NumberStyles.Float, CultureInfo.InvariantCulture, out var wanted))
        {
            var chosen = TimeSpan.FromSeconds(
                Math.Clamp(wanted, _shortestInterval.TotalSeconds, _longestInterval.TotalSeconds));
            interval = _interval < chosen ? interval : chosen;
        }

        if (arguments?.TryGetValue("Detail", out var pool) == true && pool is not null && !_details.Contains(pool))
        {
            Volatile.Write(ref _details, [.. _details.TakeLast(MostDetails - 1), pool]);
        }

        _interval = interval;
        Interlocked.Exchange(ref _wake, new BlockingEvent()).Set();
    }

    public void Stop()
    {
        Volatile.Write(ref _stopped, true);
        Volatile.Read(ref _wake).Set();
    }

    private void Run()
    {
        while (!Volatile.Read(ref _stopped))
        {
            var wake = Volatile.Read(ref _wake);
            if (_interval is { } interval)
            {
                WriteAll(interval);
            }

            wake.Wait(_interval ?? _longestInterval);
        }

        PoolDetail.End(_kept);
    }

    private void WriteAll(TimeSpan interval)
    {
        var pools = PoolInstruments.AllPools();
        foreach (var pool in pools)
        {
            // A pool of an application that throws, against its contract, must not hide the others.
            UserCode.Notify(this, pool, static (writer, pool) => writer.Write(pool));
        }

        _log.WriteEnd(pools.Count, interval);
    }

    // Pools may have the same name, so a session can also name a pool by its number.
    private void Write(IPool pool)
    {
        var id = RuntimeHelpers.GetHashCode(pool);
        var details = Volatile.Read(ref _details);
        var detail = PoolDetail.Find(_kept, pool);
        if (details.Contains(pool.Name) || details.Contains(id.ToString(CultureInfo.InvariantCulture)))
        {
            detail ??= _kept = new PoolDetail(pool, next: _kept);
            PoolDetail.Keep(_kept!);
        }

        _log.Write(pool, id, detail);
    }
}
