namespace Poolhouse.Workers.Queueing;

/// <summary>A time or none, in the space of one number: options are copied with every item.</summary>
internal readonly record struct OptionalTime
{
    // The ticks of the time and one more, so that the default is none.
    private readonly long _value;

    public OptionalTime(TimeSpan? time) => _value = time is { } given ? given.Ticks + (given.Ticks < 0 ? 0 : 1) : 0;

    public bool IsUnset => _value == 0;

    public TimeSpan? Value => _value == 0 ? null : new TimeSpan(_value - (_value < 0 ? 0 : 1));
}
