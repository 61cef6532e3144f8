namespace Poolhouse.Testing.Tests;

public sealed class ManualTime
{
    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public void The_clock_stands_still_until_it_is_moved()
    {
        var before = _clock.GetTimestamp();

        Assert.Equal(before, _clock.GetTimestamp());
        _clock.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal(TimeSpan.FromSeconds(3), _clock.GetElapsedTime(before));
        Assert.Equal(new DateTimeOffset(2000, 1, 1, 0, 0, 3, TimeSpan.Zero), _clock.GetUtcNow());
    }

    [Fact]
    public void Timers_fire_in_the_order_in_which_they_are_due_and_each_sees_its_own_time()
    {
        var seen = new List<(string Name, double Seconds)>();
        using var second = At("second", 2, seen);
        using var first = At("first", 1, seen);

        _clock.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal([("first", 1), ("second", 2)], seen);
    }

    [Fact]
    public void A_periodic_timer_fires_once_a_period()
    {
        var times = new List<double>();
        using var timer = _clock.CreateTimer(
            _ => times.Add(Seconds), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2));

        _clock.Advance(TimeSpan.FromSeconds(6));

        Assert.Equal([1, 3, 5], times);
    }

    [Fact]
    public void A_disposed_timer_fires_no_more_and_cannot_be_armed_again()
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
    public void A_timer_may_arm_another_that_fires_in_the_same_advance()
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

    private double Seconds => TimeSpan.FromTicks(_clock.GetTimestamp()).TotalSeconds;

    private ITimer At(string name, double seconds, List<(string Name, double Seconds)> seen) => _clock.CreateTimer(
        _ => seen.Add((name, Seconds)), null, TimeSpan.FromSeconds(seconds), Timeout.InfiniteTimeSpan);
}
