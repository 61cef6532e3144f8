namespace Poolhouse.Testing;

/// <summary>A clock for tests: it stands still until <see cref="Advance"/> moves it, and then its timers fire.</summary>
/// <remarks>
/// <para>
/// Timers fire on the thread that advances the clock, in the order in which they are due, and each sees the clock at its own due time:
/// never at the end of the advance. A periodic timer fires once for each period that passes.
/// </para>
/// <para>Thread safe. Timers whose callback throws let the exception reach the caller of <see cref="Advance"/>.</para>
/// </remarks>
public sealed class ManualTimeProvider : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<ManualTimer> _timers = [];
    private readonly DateTimeOffset _start;
    private TimeSpan _elapsed;

    /// <summary>Makes a clock.</summary>
    /// <param name="start">What the clock shows at first; <c>null</c>: the start of the year 2000, UTC.</param>
    public ManualTimeProvider(DateTimeOffset? start = null) =>
        _start = start ?? new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>How many timers are armed: something will fire if the clock moves far enough.</summary>
    public int ArmedTimers
    {
        get
        {
            lock (_gate)
            {
                return _timers.Count;
            }
        }
    }

    /// <inheritdoc/>
    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    /// <summary>Ticks of 100 nanoseconds.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => _start + Elapsed;

    /// <inheritdoc/>
    public override long GetTimestamp() => Elapsed.Ticks;

    /// <summary>Moves the clock and fires the timers that come due on the way.</summary>
    /// <param name="time">How far; zero or more. Zero fires what is due now.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="time"/> is negative.</exception>
    public void Advance(TimeSpan time)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        TimeSpan end;
        lock (_gate)
        {
            end = _elapsed + time;
        }

        while (TakeDue(end) is { } timer)
        {
            timer.Fire();
        }
    }

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new ManualTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    private TimeSpan Elapsed
    {
        get
        {
            lock (_gate)
            {
                return _elapsed;
            }
        }
    }

    /// <summary>The next timer due by the end, with the clock moved to its due time; or null with the clock moved to the end.</summary>
    private ManualTimer? TakeDue(TimeSpan end)
    {
        lock (_gate)
        {
            var next = _timers.MinBy(timer => timer.Due);
            if (next is null || next.Due > end)
            {
                _elapsed = TimeSpan.FromTicks(Math.Max(_elapsed.Ticks, end.Ticks));
                return null;
            }

            _elapsed = TimeSpan.FromTicks(Math.Max(_elapsed.Ticks, next.Due.Ticks));
            if (next.Period > TimeSpan.Zero)
            {
                next.Due += next.Period;
            }
            else
            {
                _timers.Remove(next);
            }

            return next;
        }
    }

    private sealed class ManualTimer(ManualTimeProvider clock, Action fire) : ITimer
    {
        private bool _disposed;

        public TimeSpan Due { get; set; }

        public TimeSpan Period { get; private set; }

        public void Fire() => fire();

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._gate)
            {
                if (_disposed)
                {
                    return false;
                }

                clock._timers.Remove(this);
                Period = period;
                if (dueTime != Timeout.InfiniteTimeSpan)
                {
                    Due = clock._elapsed + dueTime;
                    clock._timers.Add(this);
                }

                return true;
            }
        }

        public void Dispose()
        {
            lock (clock._gate)
            {
                _disposed = true;
                clock._timers.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
