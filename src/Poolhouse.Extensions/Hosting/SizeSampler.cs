using Poolhouse.Extensions.Registration;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Extensions.Hosting;

/// <summary>Samples the pools once a minute, and once a day logs the advice on their sizes, where there is any.</summary>
internal sealed class SizeSampler : IDisposable
{
    private static readonly TimeSpan _interval = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan _day = TimeSpan.FromDays(1);

    private readonly IReadOnlyList<PoolHandle> _pools;
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private long _sampledAt;
    private TimeSpan _sinceLog;
    private int _sampling;

    public SizeSampler(IReadOnlyList<PoolHandle> pools, TimeProvider time)
    {
        (_pools, _time, _sampledAt) = (pools, time, time.GetTimestamp());
        _timer = ExecutionContextFlow.RunSuppressed(this, static sampler => sampler._time.CreateTimer(
            static state => ((SizeSampler)state!).Sample(), sampler, _interval, _interval));
    }

    public void Dispose() => _timer.Dispose();

    private void Sample()
    {
        // On a busy machine, the next sample may be due before this one has ended.
        if (Interlocked.Exchange(ref _sampling, 1) != 0)
        {
            return;
        }

        var now = _time.GetTimestamp();
        var elapsed = _time.GetElapsedTime(_sampledAt, now);
        _sampledAt = now;
        _sinceLog += elapsed;
        var isDaily = _sinceLog >= _day;
        _sinceLog = isDaily ? TimeSpan.Zero : _sinceLog;
        foreach (var pool in _pools)
        {
            // The statistics of a pool of the application's own may throw, and must not end the timer.
            UserCode.Notify(pool, (elapsed, isDaily), static (pool, now) =>
            {
                pool.Sample(now.elapsed);
                if (now.isDaily && pool.SizeAdvice is { } advice)
                {
                    pool.Log.SizeAdvice(advice);
                }
            });
        }

        Volatile.Write(ref _sampling, 0);
    }
}
