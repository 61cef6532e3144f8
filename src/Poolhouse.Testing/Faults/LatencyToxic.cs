using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Delays all data. Order and throughput do not change.</summary>
public sealed class LatencyToxic : Toxic
{
    private readonly Lock _gate = new();
    private readonly Random _random;

    /// <summary>Creates the toxic.</summary>
    /// <param name="delay">See <see cref="Delay"/>.</param>
    /// <param name="jitter">See <see cref="Jitter"/>; zero by default.</param>
    /// <param name="seed">The seed of the jitter: the same seed gives the same sequence.</param>
    /// <exception cref="ArgumentOutOfRangeException">A time is negative.</exception>
    public LatencyToxic(TimeSpan delay, TimeSpan jitter = default, int seed = 1)
    {
        Delay = delay;
        Jitter = jitter;
        _random = new Random(seed);
    }

    /// <summary>The delay.</summary>
    /// <value>Zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public TimeSpan Delay
    {
        get;
        set => field = CheckTime(value, nameof(Delay));
    }

    /// <summary>The maximum deviation of the delay of each piece, in either direction. No piece overtakes another.</summary>
    /// <value>Zero by default; zero or more.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public TimeSpan Jitter
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            field = value;
        }
    }

    internal override async ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage)
    {
        var delay = Delay;
        if (delay != Timeout.InfiniteTimeSpan)
        {
            // Measured from arrival: pieces that arrive together wait together. Not below zero, because one negative value means
            // no limit, and not above the longest time.
            var ticks = (Int128)delay.Ticks + DrawJitter().Ticks - stage.SinceArrival.Ticks;
            delay = TimeSpan.FromTicks(long.CreateSaturating(Int128.Max(0, ticks)));
        }

        await stage.WaitAsync(delay).ConfigureAwait(false);
        await stage.PassOnAsync(bytes).ConfigureAwait(false);
    }

    // Random is not thread safe, and connections share it.
    private TimeSpan DrawJitter()
    {
        lock (_gate)
        {
            return Jitter * ((2 * _random.NextDouble()) - 1);
        }
    }
}
