namespace Poolhouse.Simulation;

/// <summary>
/// The clock of a run and all future events in the order of time; simultaneous events are in an order that depends on the seed.
/// </summary>
internal sealed class SimulatedTime(Dice dice) : TimeProvider
{
    private readonly PriorityQueue<Event, (long Due, int Tie, long Number)> _events = new();
    private long _number;

    // The time base of timers. The clock may have been set back, which does not affect timers.
    private long _elapsed;
    private long _setBack;
    private long _jumpedAfter = long.MinValue;

    public long Now => _elapsed - _setBack;

    /// <summary>
    /// The share of the pool's readings before which the clock jumps. Nothing else reads the clock through the provider.
    /// </summary>
    public double JumpRate { get; set; }

    /// <summary>
    /// Sum of the jumps at readings, forwards and backwards: the records of the referee may differ from the pool's by so much.
    /// </summary>
    public long Jumped { get; private set; }

    public int JumpsAtReadings { get; private set; }

    /// <summary>The number of timers that will fire.</summary>
    public int ArmedTimers { get; private set; }

    /// <summary>Whether an event is due now.</summary>
    public bool IsSomethingDue
    {
        get
        {
            // Timers that were set to another time leave an empty event behind.
            while (_events.TryPeek(out var next, out var when))
            {
                if (next.Happen is not null)
                {
                    return when.Due <= _elapsed;
                }

                _events.Dequeue();
            }

            return false;
        }
    }

    /// <summary>When the clock last jumped.</summary>
    public long JumpedAt { get; private set; } = long.MinValue;

    /// <summary>Whether an event is pending that a jump of the clock has made late.</summary>
    public bool IsLate => IsSomethingDue && _events.TryPeek(out _, out var when) && when.Due <= _jumpedAfter;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp()
    {
        if (JumpRate > 0 && dice.Chance(JumpRate))
        {
            JumpAtReading();
        }

        return Now;
    }

    public override DateTimeOffset GetUtcNow() => new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.Zero).AddTicks(Now);

    /// <summary>Moves the clock by its smallest step, so that two moments can be distinguished.</summary>
    public void Tick() => _elapsed++;

    /// <summary>
    /// Moves the clock past pending events, as if the machine had been suspended. These events then occur late.
    /// </summary>
    public void Jump(long ticks)
    {
        _elapsed += ticks;
        _jumpedAfter = _elapsed;
        JumpedAt = Now;
    }

    public void After(long ticks, Action happen) => Add(ticks, new Event { Happen = happen });

    public Task DelayAsync(long ticks)
    {
        // Its continuation runs inside the event that completes it: everything happens on one thread.
        var passed = new TaskCompletionSource();
        After(ticks, passed.SetResult);
        return passed.Task;
    }

    /// <summary>Executes the next event.</summary>
    /// <returns>False if there are no more events.</returns>
    public bool TryStep()
    {
        while (_events.TryDequeue(out var next, out var when))
        {
            if (next.Happen is { } happen)
            {
                _elapsed = Math.Max(_elapsed, when.Due);
                happen();
                return true;
            }
        }

        return false;
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    private void Add(long ticks, Event what) => _events.Enqueue(what, (_elapsed + ticks, dice.Next(), _number++));

    private void JumpAtReading()
    {
        var ticks = dice.Time(0.1, 3_000);
        Jumped += ticks;
        JumpsAtReadings++;
        if (dice.Chance(0.5))
        {
            Jump(ticks);
        }
        else
        {
            _setBack += ticks;
        }
    }

    private sealed class Event
    {
        public Action? Happen { get; set; }
    }

    private sealed class Timer(SimulatedTime time, Action fire) : ITimer
    {
        private Event? _next;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            Disarm();
            if (dueTime != Timeout.InfiniteTimeSpan)
            {
                _next = new Event { Happen = Fire };
                time.ArmedTimers++;
                time.Add(dueTime.Ticks, _next);
            }

            return true;
        }

        public void Dispose() => Disarm();

        public ValueTask DisposeAsync()
        {
            Disarm();
            return default;
        }

        private void Disarm()
        {
            if (_next is { } next)
            {
                next.Happen = null;
                _next = null;
                time.ArmedTimers--;
            }
        }

        private void Fire()
        {
            Disarm();
            fire();
        }
    }
}
