using System.Globalization;

namespace Poolhouse.Extensions.Configuration;

/// <summary>How values are written in configuration.</summary>
internal static class SettingFormats
{
    public const string None = "none";

    private static readonly string[] _durations =
    [
        @"h\:mm\:ss", @"hh\:mm\:ss", @"h\:mm\:ss\.FFFFFFF", @"hh\:mm\:ss\.FFFFFFF", @"d\.hh\:mm\:ss", @"d\.hh\:mm\:ss\.FFFFFFF",
    ];

    public static bool IsNone(string? text) =>
        string.Equals(text?.Trim(), None, StringComparison.OrdinalIgnoreCase)
        || string.Equals(text?.Trim(), "infinite", StringComparison.OrdinalIgnoreCase);

    /// <summary>Parses hh:mm:ss. A bare number is refused, because .NET would read it as days.</summary>
    public static bool TryParseDuration(string text, out TimeSpan value)
    {
        if (IsNone(text))
        {
            value = Timeout.InfiniteTimeSpan;
            return true;
        }

        return TimeSpan.TryParseExact(text, _durations, CultureInfo.InvariantCulture, out value);
    }

    public static string Show(TimeSpan value) =>
        value == Timeout.InfiniteTimeSpan ? None : value.ToString("c", CultureInfo.InvariantCulture);

    public static bool TryParseInteger(string text, out int value) =>
        int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);

    public static bool TryParseNumber(string text, out double value) =>
        double.TryParse(
            text, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out value);

    public static bool TryParseChoice<TEnum>(string text, out TEnum value)
        where TEnum : struct, Enum
    {
        value = default;
        var parts = HasFlags<TEnum>() ? text.Split(',', StringSplitOptions.TrimEntries) : [text];
        return Array.TrueForAll(parts, static part => Enum.GetNames<TEnum>().Contains(part, StringComparer.OrdinalIgnoreCase))
            && Enum.TryParse(text, ignoreCase: true, out value);
    }

    public static bool HasFlags<TEnum>()
        where TEnum : struct, Enum => typeof(TEnum).IsDefined(typeof(FlagsAttribute), inherit: false);
}
