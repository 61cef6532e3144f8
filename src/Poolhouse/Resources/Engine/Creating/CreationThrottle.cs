namespace Poolhouse.Resources.Engine.Creating;

/// <summary>
/// Limits the number of concurrent creations: slow start normally, a single prober in an outage. Under the core's gate.
/// </summary>
// Normally, the window begins at one and doubles with each creation that ends while callers still wait (slow start; V. Jacobson,
// Congestion Avoidance and Control, SIGCOMM 1988). Unless live items could be returned or the pool is recovering from an outage,
// there is no reason for caution and the window does not apply.
// In an outage, the pause after a failure grows while no caller waits. For waiting callers it stays short, and even shorter if
// they do not wait for long. Both are drawn when the creation fails, so that the number of callers does not matter (ADR 0009).
internal sealed class CreationThrottle(Random random)
{
    // The pause for waiting callers is their shortest wait divided by AttemptsPerWait, but at most the retry delay divided by
    // LongestPauseDivisor, and at least the retry delay divided by ShortestPauseDivisor.
    private const int LongestPauseDivisor = 2;
    private const int ShortestPauseDivisor = 10;
    private const int AttemptsPerWait = 4;

    private int _window = 1;
    private bool _recovering;
    private long _retryAt;
    private long _delay;
    private double _jitter;
    private long _shortestWait = PoolClock.Never;
    private long _succeededAt = PoolClock.Past;

    /// <summary>Whether the last creation failed, for whatever reason.</summary>
    public bool InOutage => Failures > 0;

    /// <summary>The number of consecutive failed creations, all of which began after the last success.</summary>
    public int Failures { get; private set; }

    public Exception? LastFailure { get; private set; }

    /// <summary>When the first creation failed, while in an outage; a lack of room before it does not count.</summary>
    public long OutageSince { get; private set; }

    /// <summary>When the last creation failed, while in an outage.</summary>
    public long FailedAt { get; private set; }

    /// <summary>Whether the last creation failed permanently, according to the policy.</summary>
    public bool IsPermanent { get; private set; }

    /// <summary>Whether the last creation failed only because the server has no room for another item.</summary>
    public bool LacksRoom { get; private set; }

    private long PauseForCallers =>
        (long)(_jitter * Math.Clamp(
            _shortestWait / AttemptsPerWait, _delay / ShortestPauseDivisor, _delay / LongestPauseDivisor));

    /// <summary>When the next attempt may be made, while in an outage.</summary>
    /// <param name="callersWait">Whether it is for callers that wait until it succeeds.</param>
    public long RetryAt(bool callersWait) =>
        callersWait && !IsPermanent && !LacksRoom ? Math.Min(_retryAt, PoolClock.Add(FailedAt, PauseForCallers)) : _retryAt;

    /// <summary>Records that a caller waits, and for how long at most.</summary>
    /// <param name="wait">The caller's timeout.</param>
    /// <param name="isFirst">Whether no other caller waits.</param>
    public void CallerArrived(long wait, bool isFirst)
    {
        if (isFirst || wait < _shortestWait)
        {
            _shortestWait = wait;
        }
    }

    /// <summary>How many creations may be in progress at once, including current ones.</summary>
    public int Allowance(bool mayRetry, bool anythingAlive, int maxConcurrent)
    {
        if (InOutage)
        {
            return mayRetry ? 1 : 0;
        }

        return anythingAlive || _recovering ? Math.Min(_window, maxConcurrent) : maxConcurrent;
    }

    public void Succeeded(bool moreWanted, int maxConcurrent, long now)
    {
        _succeededAt = now;
        if (InOutage)
        {
            Failures = 0;
            LastFailure = null;
            (IsPermanent, LacksRoom) = (false, false);
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

    /// <summary>Permits the next attempt now, because there may be room again.</summary>
    public void OnRoom(long now)
    {
        if (LacksRoom)
        {
            _retryAt = Math.Min(_retryAt, now);
        }
    }

    public void Failed(CreationFailure failed, long startedAt, long now, ResourceSettings settings)
    {
        if (startedAt < _succeededAt)
        {
            // Another creation has succeeded since, and nothing may be wanted that would end an outage that begins now.
            return;
        }

        _delay = settings.RetryDelay;
        _jitter = (1 + random.NextDouble()) / 2;
        _retryAt = PoolClock.Add(
            now,
            failed.LacksRoom ? FullJitter.NextOfUpperHalf(random, Failures, settings.NoRoomDelay, settings.MaxRetryDelay)
                : FullJitter.Next(random, Failures, _delay, settings.MaxRetryDelay));
        OutageSince = InOutage && !LacksRoom ? OutageSince : now;
        Failures++;
        LastFailure = failed.Failure;
        (IsPermanent, LacksRoom) = (failed.IsPermanent, failed.LacksRoom);
        FailedAt = now;
    }
}
