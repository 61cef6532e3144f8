using System.Globalization;
using System.Text.RegularExpressions;

namespace Poolhouse.Tool;

/// <summary>Formats numbers for readers, the same in every culture.</summary>
internal static partial class Units
{
    public static string Duration(double nanoseconds) => nanoseconds switch
    {
        < 1e3 => $"{Digits(nanoseconds)} ns",
        < 1e6 => $"{Digits(nanoseconds / 1e3)} µs",
        < 1e9 => $"{Digits(nanoseconds / 1e6)} ms",
        _ => $"{Digits(nanoseconds / 1e9)} s",
    };

    /// <summary>The unit that <see cref="Bytes"/> writes such a number in.</summary>
    public static double ByteUnit(double bytes) => bytes switch
    {
        < 1 << 10 => 1,
        < 1 << 20 => 1 << 10,
        < 1 << 30 => 1 << 20,
        _ => 1 << 30,
    };

    public static string Bytes(double bytes) => bytes switch
    {
        < 1 << 10 => $"{Digits(bytes)} B",
        < 1 << 20 => $"{Digits(bytes / (1 << 10))} KiB",
        < 1 << 30 => $"{Digits(bytes / (1 << 20))} MiB",
        _ => $"{Digits(bytes / (1 << 30))} GiB",
    };

    public static string Count(double value) => value.ToString("#,0.##", CultureInfo.InvariantCulture);

    /// <summary>A count short enough for an axis: 1k, 100k, 1M.</summary>
    public static string Short(double value) => value switch
    {
        >= 1e6 => $"{Digits(Math.Floor(value / 1e6))}M",
        >= 1e3 => $"{Digits(Math.Floor(value / 1e3))}k",
        _ => Digits(value),
    };

    /// <summary>A ratio to the baseline as a deviation: 0.5 is −50 %, 2 is +100 %.</summary>
    public static string Deviation(double ratio)
    {
        var percent = (ratio - 1) * 100;
        return percent switch
        {
            > -0.5 and < 0.5 => "0 %",
            < -99 => $"−{(-percent).ToString("0.0", CultureInfo.InvariantCulture)} %",
            < 0 => $"−{(-percent).ToString("0", CultureInfo.InvariantCulture)} %",
            _ => $"+{percent.ToString("#,0", CultureInfo.InvariantCulture)} %",
        };
    }

    public static string Ratio(double ratio) => ratio switch
    {
        > 0 and < 0.01 => $"{ratio.ToString("0.0000", CultureInfo.InvariantCulture)}×",
        < 10 => $"{ratio.ToString("0.00", CultureInfo.InvariantCulture)}×",
        _ => $"{ratio.ToString("#,0.0", CultureInfo.InvariantCulture)}×",
    };

    public static string Threads(int count) => count == 1 ? "1 thread" : $"{Count(count)} threads";

    /// <summary>Three digits that mean something.</summary>
    public static string Digits(double value) => Math.Abs(value) switch
    {
        0 => "0",
        >= 100 => value.ToString("#,0", CultureInfo.InvariantCulture),
        >= 10 => value.ToString("0.#", CultureInfo.InvariantCulture),
        >= 0.1 => value.ToString("0.##", CultureInfo.InvariantCulture),
        _ => value.ToString("0.####", CultureInfo.InvariantCulture),
    };

    /// <summary>The text with a space that does not break between each number and its unit.</summary>
    public static string KeepTogether(string text) => NumberAndUnit().Replace(text, "${number}\u00A0${unit}");

    // Without a time limit: it reads our own text in linear time, and a report must not fail because the machine stalls.
    [GeneratedRegex(
        @"(?<number>\d) (?<unit>(ns|µs|ms|s|B|KiB|MiB|GiB|%|threads?)(?!\w))", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex NumberAndUnit();
}
