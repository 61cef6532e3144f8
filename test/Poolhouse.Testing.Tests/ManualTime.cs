namespace Poolhouse.Testing.Tests;

public sealed class ManualTime
{
    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public void The_clock_does_not_advance_by_itself()
    {
        var before = _clock.GetTimestamp();

        Assert.Equal(before, _clock.GetTimestamp());
        _clock.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal(TimeSpan.FromSeconds(3), _clock.GetElapsedTime(before));
        Assert.Equal(new DateTimeOffset(2000, 1, 1, 0, 0, 3, TimeSpan.Zero), _clock.GetUtcNow());
    }

    [Fact]
    public void Timers_fire_in_due_order_and_each_sees_its_due_time()
    {
        var seen = new List<(string Name, double Seconds)>();
        using var second = At("second", 2, seen);
        using var first = At("first", 1, seen);

        _clock.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal([("first", 1), ("second", 2)], seen);
    }

    [Fact]
    public void A_periodic_timer_fires_once_per_period()
    {
        var times = new List<double>();
        using var timer = _clock.CreateTimer(
            _ => times.Add(Seconds), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2));

        _clock.Advance(TimeSpan.FromSeconds(6));

        Assert.Equal([1, 3, 5], times);
    }

    [Fact]
    public void A_disposed_timer_does_not_fire_and_cannot_be_set_again()
    {
        var fired = 0;
        var timer = _clock.CreateTimer(_ => fired++, null, TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan);
        timer.Dispose();

        _clock.Advance(TimeSpan.FromSeconds(2));

        Assert.False(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        Assert.Equal(0, fired);
        Assert.Equal(0, _clock.ArmedTimers);
    }

    [Fact]
    public void A_timer_may_set_another_that_fires_in_the_same_advance()
    {
        var seen = new List<(string Name, double Seconds)>();
        ITimer? inner = null;
        using var outer = _clock.CreateTimer(
            _ => inner = At("inner", 1, seen), null, TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan);

        _clock.Advance(TimeSpan.FromSeconds(5));

        Assert.Equal([("inner", 2)], seen);
        inner!.Dispose();
    }

    [Fact]
    public void The_clock_does_not_go_back() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => _clock.Advance(TimeSpan.FromTicks(-1)));

    [Fact]
    public void Advances_from_several_threads_add_up()
    {
        using var start = new Barrier(4);
        var threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            start.SignalAndWait();
            for (var i = 0; i < 1000; i++)
            {
                _clock.Advance(TimeSpan.FromMilliseconds(10));
            }
        })).ToArray();

        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());

        Assert.Equal(40, Seconds);
    }

    [Fact]
    public void An_advance_inside_a_callback_extends_the_current_advance()
    {
        using var timer = _clock.CreateTimer(
            _ => _clock.Advance(TimeSpan.FromSeconds(3)), null, TimeSpan.FromSeconds(2), Timeout.InfiniteTimeSpan);

        _clock.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal(13, Seconds);
    }

    [Fact]
    public void Timers_due_at_the_same_time_fire_in_the_order_in_which_they_were_set()
    {
        var seen = new List<(string Name, double Seconds)>();
        using var first = At("first", 9, seen);
        using var second = At("second", 1, seen);
        using var third = At("third", 1, seen);
        first.Change(TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan);

        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal([("second", 1), ("third", 1), ("first", 1)], seen);
    }

    [Fact]
    public void A_timer_due_immediately_fires_on_the_next_advance_and_not_while_it_is_set()
    {
        var fired = 0;
        using var timer = _clock.CreateTimer(_ => fired++, null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);

        Assert.Equal(0, fired);
        _clock.Advance(TimeSpan.Zero);
        Assert.Equal(1, fired);
    }

    [Theory]
    [InlineData(-2.0)]
    [InlineData(4294967295.0)]
    public void Times_that_framework_timers_reject_are_rejected(double milliseconds)
    {
        var outside = TimeSpan.FromMilliseconds(milliseconds);
        using var timer = _clock.CreateTimer(_ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        Assert.Throws<ArgumentOutOfRangeException>("dueTime", () => timer.Change(outside, TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>("period", () => timer.Change(TimeSpan.Zero, outside));
        Assert.Throws<ArgumentOutOfRangeException>("dueTime", () => _clock.CreateTimer(_ => { }, null, outside, TimeSpan.Zero));
        Assert.Equal(0, _clock.ArmedTimers);
    }

    [Fact]
    public void An_advance_past_the_last_date_is_rejected_and_changes_nothing()
    {
        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Throws<ArgumentOutOfRangeException>("time", () => _clock.Advance(TimeSpan.MaxValue));
        Assert.Equal(1, Seconds);
        _clock.SetUtcNow(DateTimeOffset.MaxValue);
        Assert.Equal(DateTimeOffset.MaxValue, _clock.GetUtcNow());
    }

    [Fact]
    public void The_clock_shows_UTC_whatever_the_offset_of_its_start()
    {
        var clock = new ManualTimeProvider(new DateTimeOffset(2024, 5, 1, 12, 0, 0, TimeSpan.FromHours(2)));

        Assert.Equal(TimeSpan.Zero, clock.GetUtcNow().Offset);
        Assert.Equal(10, clock.GetUtcNow().Hour);
        Assert.Equal("2024-05-01T10:00:00.000", clock.ToString());
    }

    [Fact]
    public void Setting_the_time_fires_due_timers_and_never_goes_back()
    {
        var seen = new List<(string Name, double Seconds)>();
        using var timer = At("timer", 2, seen);
        var before = _clock.GetTimestamp();

        _clock.SetUtcNow(_clock.GetUtcNow().AddSeconds(5));

        Assert.Equal([("timer", 2)], seen);
        Assert.Equal(TimeSpan.FromSeconds(5), _clock.GetElapsedTime(before));
        Assert.Throws<ArgumentOutOfRangeException>("value", () => _clock.SetUtcNow(_clock.GetUtcNow().AddTicks(-1)));
    }

    [Fact]
    public void The_local_time_zone_is_utc_until_another_is_set()
    {
        Assert.Equal(TimeZoneInfo.Utc, _clock.LocalTimeZone);
        var zone = TimeZoneInfo.CreateCustomTimeZone("two ahead", TimeSpan.FromHours(2), "two ahead", "two ahead");

        _clock.SetLocalTimeZone(zone);

        Assert.Equal(_clock.GetUtcNow().UtcDateTime.AddHours(2), _clock.GetLocalNow().DateTime);
    }

    [Fact]
    public async Task A_test_can_wait_until_the_tested_code_waits_for_the_clock()
    {
        var token = TestContext.Current.CancellationToken;
        var armed = _clock.WaitUntilArmedAsync(2, token);
        using var first = At("first", 1, []);
        Assert.False(armed.IsCompleted);

        var delay = Task.Run(() => Task.Delay(TimeSpan.FromSeconds(1), _clock, token), token);

        await armed;
        _clock.Advance(TimeSpan.FromSeconds(1));
        await delay;
        using var canceled = new CancellationTokenSource();
        var never = _clock.WaitUntilArmedAsync(cancellationToken: canceled.Token);
        await canceled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => never);
    }

    [Fact]
    public async Task Delays_timeouts_and_token_sources_of_the_framework_follow_the_clock()
    {
        var token = TestContext.Current.CancellationToken;
        using var source = new CancellationTokenSource(TimeSpan.FromSeconds(2), _clock);
        var delay = Task.Delay(TimeSpan.FromSeconds(1), _clock, token);
        var wait = new TaskCompletionSource().Task.WaitAsync(TimeSpan.FromSeconds(2), _clock, token);

        _clock.Advance(TimeSpan.FromSeconds(1));
        await delay;
        Assert.False(wait.IsCompleted);
        Assert.False(source.IsCancellationRequested);

        _clock.Advance(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAsync<TimeoutException>(() => wait);
        Assert.True(source.IsCancellationRequested);
    }

    private double Seconds => TimeSpan.FromTicks(_clock.GetTimestamp()).TotalSeconds;

    private ITimer At(string name, double seconds, List<(string Name, double Seconds)> seen) => _clock.CreateTimer(
        _ => seen.Add((name, Seconds)), null, TimeSpan.FromSeconds(seconds), Timeout.InfiniteTimeSpan);
}
