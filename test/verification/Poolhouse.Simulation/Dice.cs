namespace Poolhouse.Simulation;

/// <summary>The source of all random decisions of one run.</summary>
internal sealed class Dice(int seed)
{
    public const long Millisecond = TimeSpan.TicksPerMillisecond;

    private readonly Random _random = new(seed);

    public int Next() => _random.Next();

    /// <summary>A number from 0 to below the bound.</summary>
    public int Below(int bound) => _random.Next(bound);

    /// <summary>A number from one to the other, both included.</summary>
    public int Between(int from, int to) => _random.Next(from, to + 1);

    public bool Chance(double probability) => _random.NextDouble() < probability;

    public double Fraction(double most) => _random.NextDouble() * most;

    /// <summary>A time in ticks; short times are as likely as long ones, down to single ticks.</summary>
    public long Time(double fromMilliseconds, double toMilliseconds) =>
        (long)(fromMilliseconds * Math.Pow(toMilliseconds / fromMilliseconds, _random.NextDouble()) * Millisecond);

    /// <summary>A time, in whole milliseconds every other time.</summary>
    public TimeSpan Span(double fromMilliseconds, double toMilliseconds)
    {
        var ticks = Time(fromMilliseconds, toMilliseconds);
        return TimeSpan.FromTicks(Chance(0.5) ? Math.Max(1, ticks / Millisecond) * Millisecond : ticks);
    }

    /// <summary>A time, or infinite with the given probability.</summary>
    public TimeSpan SpanOrNever(double never, double fromMilliseconds, double toMilliseconds) =>
        Chance(never) ? Timeout.InfiniteTimeSpan : Span(fromMilliseconds, toMilliseconds);
}
