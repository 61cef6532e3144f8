using System.Globalization;

namespace Poolhouse.Kernel;

/// <summary>Collects the errors in some options, so that one exception can report all of them.</summary>
internal sealed class SettingErrors
{
    private readonly List<string> _errors = [];

    public void Check(bool valid, string setting, object? value, string allowed)
    {
        if (!valid)
        {
            _errors.Add(string.Create(CultureInfo.InvariantCulture, $"{setting} is {Show(value)}; allowed: {allowed}."));
        }
    }

    public void CheckRange(long value, string setting, long min, long max) =>
        Check(value >= min && value <= max, setting, value, string.Create(CultureInfo.InvariantCulture, $"{min:N0} to {max:N0}"));

    public void CheckDuration(TimeSpan value, string setting, TimeSpan min)
    {
        // A value beyond the maximum of a timer would fail later, in a callback where the failure goes unnoticed.
        var max = TimeSpan.FromMilliseconds(uint.MaxValue - 1);
        Check(
            value == Timeout.InfiniteTimeSpan || (value >= min && value <= max),
            setting,
            value,
            string.Create(CultureInfo.InvariantCulture, $"{min} to {max}, or Timeout.InfiniteTimeSpan for none"));
    }

    public void CheckNotNull(object? value, string setting) => Check(value is not null, setting, null, "not null");

    /// <summary>Checks a setting that a pool cannot change while it exists.</summary>
    public void CheckUnchanged<T>(T value, string setting, T current) =>
        Check(EqualityComparer<T>.Default.Equals(value, current), setting, value, $"{Show(current)}, because it cannot be changed");

    /// <summary>Checks a setting that a pool cannot change while it exists, and whose value says nothing as text.</summary>
    public void CheckSame(object? value, string setting, object? current) =>
        Check(ReferenceEquals(value, current), setting, value is null ? null : "another one", "the same as before, because it cannot be changed");

    /// <summary>
    /// Throws one exception for all errors; <paramref name="options"/> is the parameter that the public caller passed.
    /// </summary>
    public void ThrowIfAny(object options)
    {
        if (_errors.Count > 0)
        {
            throw new ArgumentException("Invalid pool options. " + string.Join(' ', _errors), nameof(options));
        }
    }

    private static string Show(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? "null",
    };
}
