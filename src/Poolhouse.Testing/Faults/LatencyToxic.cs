using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Lets every byte arrive later. The order stays, and so does the throughput.</summary>
public sealed class LatencyToxic : Toxic
{
    private readonly Lock _gate = new();
    private readonly Random _random;

    /// <summary>Makes one.</summary>
    /// <param name="delay">See <see cref="Delay"/>.</param>
    /// <param name="jitter">See <see cref="Jitter"/>; zero by default.</param>
    /// <param name="seed">What the jitter is drawn from: the same seed draws the same again.</param>
    /// <exception cref="ArgumentOutOfRangeException">A time is negative.</exception>
    public LatencyToxic(TimeSpan delay, TimeSpan jitter = default, int seed = 1)
    {
        Delay = delay;
        Jitter = jitter;
        _random = new Random(seed);
    }

    /// <summary>How much later.</summary>
    /// <value>Zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public TimeSpan Delay
    {
        get;
        set => field = CheckTime(value, nameof(Delay));
    }

    /// <summary>By how much the delay of each piece may differ, to either side. No piece overtakes another.</summary>
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
            // From its arrival on: pieces that come together wait together. Not below zero, where one value means for ever.
            delay += DrawJitter() - stage.SinceArrival;
            delay = delay > TimeSpan.Zero ? delay : TimeSpan.Zero;
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
