using System.Globalization;

namespace Poolhouse.Extensions.Health;

/// <summary>Totals of a pool from samples of its statistics, and the advice on its size that follows from them.</summary>
// No controller changes the size by itself: the time of a use includes what the application does with the item, so a pool cannot
// tell whether more items would make it faster. There is no advice where the figures do not say: wrong advice is worse.
internal sealed class SizeTotals
{
    private const int FewestUses = 1000;
    private const int FewestUsesOfLevel = 100;
    private const long SmallestPool = 8;
    private const double ManyWaits = 0.01;
    private const double Slower = 1.5;

    private static readonly TimeSpan _shortest = TimeSpan.FromMinutes(10);

    private readonly Level _low = new();
    private readonly Level _high = new();
    private TimeSpan _time;
    private double _leasedSeconds;
    private long _waits;

    /// <summary>The highest number of items that were alive at once, since the pool was created.</summary>
    public long Peak { get; private set; }

    public long Max { get; private set; }

    public double MeanLeased => _time > TimeSpan.Zero ? _leasedSeconds / _time.TotalSeconds : 0;

    /// <summary>Adds a sample: what has happened since the one before.</summary>
    /// <param name="elapsed">The time since then.</param>
    /// <param name="max">The limit of the pool.</param>
    /// <param name="leased">The number of leases now.</param>
    /// <param name="uses">The uses that have ended since then.</param>
    /// <param name="useTime">Their total time.</param>
    /// <param name="waits">The rents since then that had to wait.</param>
    /// <param name="peak">The highest number of items alive since the pool was created.</param>
    public void Add(TimeSpan elapsed, long max, long leased, long uses, TimeSpan useTime, long waits, long peak)
    {
        if (max != Max)
        {
            // What was seen of another size says nothing about this one.
            (_time, _leasedSeconds, _waits) = (TimeSpan.Zero, 0, 0);
            _low.Clear();
            _high.Clear();
        }

        (Max, Peak) = (max, peak);
        _time += elapsed;
        _leasedSeconds += leased * elapsed.TotalSeconds;

        // A rent for which an item is created counts as a wait, too: it says nothing about the size.
        _waits += leased >= max ? Math.Max(0, waits) : 0;
        (leased * 2 <= max ? _low : _high).Add(Math.Max(0, uses), useTime);
    }

    /// <summary>The advice; null where the figures do not say.</summary>
    public string? Advise()
    {
        var uses = _low.Uses + _high.Uses;
        if (_time < _shortest || uses < FewestUses || Max <= 0)
        {
            return null;
        }

        if (_waits >= uses * ManyWaits && Peak >= Max)
        {
            return AdviseOnWaits(uses);
        }

        var enough = Math.Max(SmallestPool / 2, (long)Math.Ceiling(Peak * 1.5));
        return Max >= SmallestPool && enough * 2 <= Max
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"Too large: at most {Peak} of {Max} items were alive at once ({MeanLeased:0.#} leased on average). " +
                $"MaxSize {enough} would do.")
            : null;
    }

    private string? AdviseOnWaits(long uses)
    {
        var waits = string.Create(
            CultureInfo.InvariantCulture,
            $"{100.0 * _waits / uses:0.#} % of the rents had to wait, with up to {Peak} of {Max} items in use");
        if (_low.Uses < FewestUsesOfLevel || _high.Uses < FewestUsesOfLevel)
        {
            return null;
        }

        var ratio = _high.Mean / _low.Mean;
        return ratio >= Slower
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"{waits}, but uses take {ratio:0.0} times as long when more than half of the items are leased: a larger pool " +
                $"would probably not help.")
            : $"Too small: {waits}, and uses do not take longer when it is full. Raise MaxSize if the server has room.";
    }

    private sealed class Level
    {
        private TimeSpan _time;

        public long Uses { get; private set; }

        public double Mean => Uses > 0 ? Math.Max(_time.TotalSeconds / Uses, 1e-6) : 0;

        public void Add(long uses, TimeSpan time)
        {
            Uses += uses;
            _time += time < TimeSpan.Zero ? TimeSpan.Zero : time;
        }

        public void Clear() => (Uses, _time) = (0, TimeSpan.Zero);
    }
}
