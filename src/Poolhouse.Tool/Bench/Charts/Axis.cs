namespace Poolhouse.Tool.Bench.Charts;

/// <summary>A scale with its title and ticks; maps values to 0…1.</summary>
internal sealed class Axis
{
    private readonly bool _logarithmic;

    private Axis(string title, double min, double max, bool logarithmic, IReadOnlyList<Tick> ticks)
    {
        Title = title;
        Min = min;
        Max = max;
        _logarithmic = logarithmic;
        Ticks = ticks;
    }

    public string Title { get; }

    public double Min { get; }

    public double Max { get; }

    public IReadOnlyList<Tick> Ticks { get; }

    /// <summary>A linear axis from 0 to a round number at or above <paramref name="max"/>.</summary>
    /// <param name="title">What it shows, with its unit.</param>
    /// <param name="max">The largest value.</param>
    /// <param name="label">How a value is written.</param>
    /// <param name="unit">The unit of the ticks, such as 1,024 bytes.</param>
    public static Axis Linear(string title, double max, Func<double, string> label, double unit = 1)
    {
        var step = RoundStep(max > 0 ? max / unit / 4 : 1) * unit;
        var ticks = new List<Tick>();
        for (var i = 0; i < 2 || ticks[^1].Value < max; i++)
        {
            ticks.Add(new Tick(i * step, label(i * step)));
        }

        return new Axis(title, 0, ticks[^1].Value, logarithmic: false, ticks);
    }

    /// <summary>A linear axis from 0 to exactly <paramref name="max"/>, with ticks at round numbers.</summary>
    public static Axis Exact(string title, double max, Func<double, string> label)
    {
        var end = max > 0 ? max : 1;
        var step = RoundStep(end / 4);
        var ticks = Enumerable.Range(0, (int)(end / step) + 1).Select(i => new Tick(i * step, label(i * step)));
        return new Axis(title, 0, end, logarithmic: false, [.. ticks]);
    }

    /// <summary>A logarithmic axis: a tick at each power of ten, and at 2 and 5 times each when there are few of those.</summary>
    public static Axis Logarithmic(string title, double min, double max, Func<double, string> label)
    {
        var steps = LogSteps(min, max);
        return new Axis(
            $"{title}, logarithmic", steps[0], steps[^1], logarithmic: true,
            [.. steps.Select(step => new Tick(step, label(step)))]);
    }

    /// <summary>A logarithmic axis with ticks at exactly these values, in ascending order.</summary>
    public static Axis LogarithmicAt(string title, IReadOnlyList<double> values, Func<double, string> label)
    {
        // A single value needs a range around it.
        var (min, max) = values.Count == 1 ? (values[0] / 2, values[0] * 2) : (values[0], values[^1]);
        return new Axis(title, min, max, logarithmic: true, [.. values.Select(value => new Tick(value, label(value)))]);
    }

    public double Place(double value) => _logarithmic
        ? Math.Log(Math.Max(value, double.Epsilon) / Min) / Math.Log(Max / Min)
        : (value - Min) / (Max - Min);

    private static List<double> LogSteps(double min, double max)
    {
        if (!(min > 0 && max >= min && double.IsFinite(max)))
        {
            throw new ArgumentOutOfRangeException(nameof(min), $"A logarithmic axis needs 0 < min <= max, not {min} and {max}.");
        }

        const double Tolerance = 1e-9;
        var first = (int)Math.Floor(Math.Log10(min) + Tolerance);
        var last = (int)Math.Ceiling(Math.Log10(max) - Tolerance);
        last = Math.Max(last, first + 1);
        int[] factors = last - first > 3 ? [1] : [1, 2, 5];
        List<double> all =
        [
            .. Enumerable.Range(first, last - first).SelectMany(power => factors.Select(factor => factor * Power(power))),
            Power(last),
        ];
        var from = all.FindLastIndex(step => step <= min * (1 + Tolerance));
        var to = all.FindIndex(step => step >= max * (1 - Tolerance));
        return from == to
            ? all.GetRange(Math.Max(0, from - 1), 2)
            : all.GetRange(from, to - from + 1);
    }

    // Math.Pow(10, -3) is not the double that 0.001 is; the quotient is.
    private static double Power(int exponent) => exponent >= 0 ? Math.Pow(10, exponent) : 1 / Math.Pow(10, -exponent);

    private static double RoundStep(double step)
    {
        var power = Math.Pow(10, Math.Floor(Math.Log10(step)));
        return (step / power) switch
        {
            <= 1 => power,
            <= 2 => 2 * power,
            <= 5 => 5 * power,
            _ => 10 * power,
        };
    }
}
