using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine.Creating;

/// <summary>Limits the number of concurrent creations: slow start normally, a single prober in an outage. Under the core's gate.</summary>
// Normally, the window begins at one and doubles with each creation that ends while callers still wait (slow start; V. Jacobson,
// Congestion Avoidance and Control, SIGCOMM 1988). Unless live items could be returned or the pool is recovering from an outage, there is no
// reason for caution and the window does not apply.
// In an outage, the pause after a failure grows while no caller waits. For waiting callers it is that of a first failure: both ends are
// drawn when the creation fails, so callers that arrive later do not bring the attempt forward by their arrival (ADR 0024).
internal sealed class CreationThrottle(Random random)
{
    private int _window = 1;
    private bool _recovering;
    private long _retryAt;
    private long _retryForCallersAt;

    public bool InOutage => Failures > 0;

    /// <summary>The number of consecutive failed creations.</summary>
    public int Failures { get; private set; }

    public Exception? LastFailure { get; private set; }

    /// <summary>When the last creation failed, while in an outage.</summary>
    public long FailedAt { get; private set; }

    /// <summary>Whether the last creation failed permanently, according to the policy.</summary>
    public bool IsPermanent { get; private set; }

    /// <summary>When the next attempt may be made, while in an outage.</summary>
    /// <param name="callersWait">Whether it is for callers that wait until it succeeds.</param>
    public long RetryAt(bool callersWait) => callersWait && !IsPermanent ? _retryForCallersAt : _retryAt;

    /// <summary>How many creations may be in progress at once, including current ones.</summary>
    public int Allowance(bool mayRetry, bool anythingAlive, int maxConcurrent)
    {
        if (InOutage)
        {
            return mayRetry ? 1 : 0;
        }

        return anythingAlive || _recovering ? Math.Min(_window, maxConcurrent) : maxConcurrent;
    }

    public void Succeeded(bool moreWanted, int maxConcurrent)
    {
        if (InOutage)
        {
            Failures = 0;
            LastFailure = null;
            IsPermanent = false;
            _window = 1;
            _recovering = true;
        }

        if (moreWanted)
        {
            _window = (int)Math.Min(_window * 2L, maxConcurrent);
            _recovering &= _window < maxConcurrent;
        }
        else
        {
            _window = 1;
            _recovering = false;
        }
    }

    public void Failed(Exception failure, bool permanent, long now, long delay, long maxDelay)
    {
        var pause = FullJitter.Next(random, Failures, delay, maxDelay);
        var pauseForCallers = Failures == 0 ? pause : Math.Min(pause, FullJitter.Next(random, failuresBefore: 0, delay, maxDelay));
        Failures++;
        LastFailure = failure;
        IsPermanent = permanent;
        FailedAt = now;
        _retryAt = PoolClock.Add(now, pause);
        _retryForCallersAt = PoolClock.Add(now, pauseForCallers);
    }
}
