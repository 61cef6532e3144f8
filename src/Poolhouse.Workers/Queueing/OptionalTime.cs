namespace Poolhouse.Workers.Queueing;

/// <summary>An optional time in the size of one number, because options are copied with every item.</summary>
internal readonly record struct OptionalTime
{
    // The ticks of the time plus one, so that the default value means none. The longest time, which is never allowed, loses a
    // tick.
    private readonly long _value;

    public OptionalTime(TimeSpan? time) =>
        _value = time is { } given ? given.Ticks + (given.Ticks is < 0 or long.MaxValue ? 0 : 1) : 0;

    public bool IsUnset => _value == 0;

    public TimeSpan? Value => _value == 0 ? null : new TimeSpan(_value - (_value < 0 ? 0 : 1));
}
