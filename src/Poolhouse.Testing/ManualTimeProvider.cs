using System.Globalization;

namespace Poolhouse.Testing;

/// <summary>
/// A clock for tests: it advances only by <see cref="Advance"/> or <see cref="SetUtcNow"/>, which fire its timers.
/// </summary>
/// <remarks>
/// <para>
/// Timers fire on the thread that moves the clock, in the order in which they are due, and each sees the clock at its own due
/// time, not at the end of the move. A periodic timer fires once for each period that passes. A timer that is due at once fires
/// on the next move, even a move by zero, and never inside the call that arms it, because that caller may hold a lock. Armed
/// timers are kept alive by the clock.
/// </para>
/// <para>
/// Thread safe; moves from several threads, or from inside a timer's callback, add up. An exception of a callback is thrown to
/// the caller that moves the clock; the timers after it fire on the next move.
/// </para>
/// </remarks>
// Not derived from FakeTimeProvider (Microsoft.Extensions.TimeProvider.Testing), which fires a timer that is due at once inside
// the call that arms it, whose caller may hold a lock, and loses the timers after one whose callback throws.
public sealed class ManualTimeProvider : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly SortedSet<ManualTimer> _armed = new(Comparer<ManualTimer>.Create(ManualTimer.CompareDue));
    private readonly List<(int Count, TaskCompletionSource Reached)> _waiters = [];
    private readonly DateTimeOffset _start;
    private TimeZoneInfo _localTimeZone = TimeZoneInfo.Utc;
    private TimeSpan _elapsed;

    /// <summary>The time of the clock after all moves that have begun.</summary>
    private TimeSpan _target;

    /// <summary>Counts armings, so that timers due at the same time fire in the order in which they were armed.</summary>
    private long _armings;

    /// <summary>Creates a clock.</summary>
    /// <param name="start">The initial time of the clock; <c>null</c> for the start of the year 2000, UTC.</param>
    public ManualTimeProvider(DateTimeOffset? start = null) =>
        _start = start?.ToUniversalTime() ?? new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>The number of armed timers: those that fire if the clock moves far enough.</summary>
    public int ArmedTimers
    {
        get
        {
            lock (_gate)
            {
                return _armed.Count;
            }
        }
    }

    /// <summary>UTC unless <see cref="SetLocalTimeZone"/> has set another.</summary>
    public override TimeZoneInfo LocalTimeZone => Volatile.Read(ref _localTimeZone);

    /// <summary>Ticks of 100 nanoseconds.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>The time that the clock shows, with an offset of zero.</summary>
    public override DateTimeOffset GetUtcNow() => _start + Elapsed;

    /// <summary>The time since the clock was created, in ticks; it moves together with <see cref="GetUtcNow"/>.</summary>
    public override long GetTimestamp() => Elapsed.Ticks;

    /// <summary>Sets the time zone that <see cref="LocalTimeZone"/> returns.</summary>
    /// <param name="localTimeZone">The time zone.</param>
    /// <exception cref="ArgumentNullException"><paramref name="localTimeZone"/> is null.</exception>
    public void SetLocalTimeZone(TimeZoneInfo localTimeZone)
    {
        ArgumentNullException.ThrowIfNull(localTimeZone);
        Volatile.Write(ref _localTimeZone, localTimeZone);
    }

    /// <summary>Moves the clock forward and fires the timers that come due on the way.</summary>
    /// <param name="time">How far: zero or more, and not past <see cref="DateTimeOffset.MaxValue"/>. Zero fires what is due
    /// now.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="time"/> is negative or too long; the clock has not
    /// moved.</exception>
    public void Advance(TimeSpan time)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        TimeSpan end;
        lock (_gate)
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan(time, DateTimeOffset.MaxValue - _start - _target);
            end = _target += time;
        }

        MoveTo(end);
    }

    /// <summary>Moves the clock forward to a time and fires the timers that come due on the way.</summary>
    /// <param name="value">The time, not before <see cref="GetUtcNow"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is in the past; the clock has not
    /// moved.</exception>
    public void SetUtcNow(DateTimeOffset value)
    {
        TimeSpan end;
        lock (_gate)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, _start + _elapsed);
            end = value - _start;
            _target = end > _target ? end : _target;
        }

        MoveTo(end);
    }

    /// <summary>
    /// Waits until timers are armed, to ensure that the code under test waits for the clock before the clock moves.
    /// </summary>
    /// <param name="count">How many armed timers to wait for; at least 1, the default.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>A task that completes when at least <paramref name="count"/> timers are armed at the same time.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is less than 1.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled first.</exception>
    public Task WaitUntilArmedAsync(int count = 1, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (_armed.Count >= count)
            {
                return Task.CompletedTask;
            }

            _waiters.Add((count, reached));
        }

        return reached.Task.WaitAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new ManualTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>The time that the clock shows, in ISO 8601 and to the millisecond.</summary>
    public override string ToString() => GetUtcNow().ToString("yyyy-MM-dd'T'HH:mm:ss.fff", CultureInfo.InvariantCulture);

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

    private void MoveTo(TimeSpan end)
    {
        while (TakeDue(end) is { } timer)
        {
            timer.Fire();
        }
    }

    /// <summary>
    /// The next timer due by the end, with the clock moved to its due time; or null with the clock moved to the end.
    /// </summary>
    private ManualTimer? TakeDue(TimeSpan end)
    {
        lock (_gate)
        {
            var next = _armed.Min;
            if (next is null || next.Due > end)
            {
                _elapsed = end > _elapsed ? end : _elapsed;
                return null;
            }

            _elapsed = next.Due > _elapsed ? next.Due : _elapsed;
            _armed.Remove(next);
            if (next.Period > TimeSpan.Zero)
            {
                ArmLocked(next, next.Due + next.Period);
            }

            return next;
        }
    }

    private void ArmLocked(ManualTimer timer, TimeSpan due)
    {
        timer.Due = due;
        timer.Arming = ++_armings;
        _armed.Add(timer);
        for (var i = _waiters.Count - 1; i >= 0; i--)
        {
            if (_waiters[i].Count <= _armed.Count)
            {
                _waiters[i].Reached.TrySetResult();
                _waiters.RemoveAt(i);
            }
        }
    }

    private sealed class ManualTimer(ManualTimeProvider clock, Action fire) : ITimer
    {
        /// <summary>The longest time that the framework's own timers accept.</summary>
        private static readonly TimeSpan _longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

        private bool _disposed;

        /// <summary>Part of the order of the armed timers: written only while this timer is not among them.</summary>
        public TimeSpan Due { get; set; }

        /// <inheritdoc cref="Due"/>
        public long Arming { get; set; }

        public TimeSpan Period { get; private set; }

        public void Fire() => fire();

        public static int CompareDue(ManualTimer one, ManualTimer other) =>
            (one.Due, one.Arming).CompareTo((other.Due, other.Arming));

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            ThrowIfOutOfRange(dueTime, nameof(dueTime));
            ThrowIfOutOfRange(period, nameof(period));
            lock (clock._gate)
            {
                if (_disposed)
                {
                    return false;
                }

                clock._armed.Remove(this);
                Period = period;
                if (dueTime != Timeout.InfiniteTimeSpan)
                {
                    clock.ArmLocked(this, clock._elapsed + dueTime);
                }

                return true;
            }
        }

        public void Dispose()
        {
            lock (clock._gate)
            {
                _disposed = true;
                clock._armed.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        private static void ThrowIfOutOfRange(TimeSpan value, string parameter)
        {
            if (value != Timeout.InfiniteTimeSpan && (value < TimeSpan.Zero || value > _longest))
            {
                throw new ArgumentOutOfRangeException(
                    parameter, value, $"Allowed are 0 to {_longest} and Timeout.InfiniteTimeSpan.");
            }
        }
    }
}
