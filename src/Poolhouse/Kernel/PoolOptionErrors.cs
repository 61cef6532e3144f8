using System.Globalization;

namespace Poolhouse;

/// <summary>Collects the errors in the options of a pool, so that one exception reports all of them.</summary>
/// <remarks>
/// For authors of pools: create one, check every setting, then call <see cref="ThrowIfAny"/>. Values are shown in the message, so
/// pass a replacement for a value that may be secret. Not thread safe.
/// </remarks>
// For the first pool of a process, whose settings are validated by code that is compiled for it: texts are created only for
// errors, because formatting a number for the first time costs more than all the rest, and enums are compared, because
// Enum.IsDefined uses reflection.
public sealed class PoolOptionErrors
{
    private readonly List<string> _errors = [];

    /// <summary>The longest duration other than infinity: a timer cannot wait any longer.</summary>
    // A longer one would fail later, in a callback where the failure goes unnoticed.
    internal static TimeSpan MaxDuration { get; } = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    /// <summary>Adds an error unless a setting is valid.</summary>
    /// <param name="valid">Whether it is valid.</param>
    /// <param name="setting">Its name, with the names of the options that contain it: "Pool.MaxSize".</param>
    /// <param name="value">Its value, as the message shows it.</param>
    /// <param name="allowed">The values that are allowed: "0 or more".</param>
    public void Check(bool valid, string setting, object? value, string allowed)
    {
        if (!valid)
        {
            Add(setting, value, allowed);
        }
    }

    /// <summary>Adds an error unless a number is in a range.</summary>
    /// <param name="value">The number.</param>
    /// <param name="setting">The name of the setting, as for <see cref="Check"/>.</param>
    /// <param name="min">The smallest number that is allowed.</param>
    /// <param name="max">The largest number that is allowed.</param>
    public void CheckRange(long value, string setting, long min, long max)
    {
        if (value < min || value > max)
        {
            Add(setting, value, string.Create(CultureInfo.InvariantCulture, $"{min:N0} to {max:N0}"));
        }
    }

    /// <summary>
    /// Adds an error unless a duration is infinite, or at least a minimum and not longer than a timer can wait (49 days).
    /// </summary>
    /// <param name="value">The duration; <see cref="Timeout.InfiniteTimeSpan"/> is allowed.</param>
    /// <param name="setting">The name of the setting, as for <see cref="Check"/>.</param>
    /// <param name="min">The shortest duration that is allowed.</param>
    public void CheckDuration(TimeSpan value, string setting, TimeSpan min)
    {
        if (value != Timeout.InfiniteTimeSpan && (value < min || value > MaxDuration))
        {
            Add(setting, value, $"{min} to {MaxDuration}, or Timeout.InfiniteTimeSpan for none");
        }
    }

    /// <summary>Adds an error if a setting is null.</summary>
    /// <param name="value">The value.</param>
    /// <param name="setting">The name of the setting, as for <see cref="Check"/>.</param>
    public void CheckNotNull(object? value, string setting) => Check(value is not null, setting, null, "not null");

    /// <summary>Adds an error if a setting that a pool cannot change while it exists has changed.</summary>
    /// <typeparam name="T">The type of the setting.</typeparam>
    /// <param name="value">The new value.</param>
    /// <param name="setting">The name of the setting, as for <see cref="Check"/>.</param>
    /// <param name="current">The current value.</param>
    public void CheckUnchanged<T>(T value, string setting, T current) =>
        Check(
            EqualityComparer<T>.Default.Equals(value, current), setting, value, $"{Show(current)}, because it cannot be changed");

    /// <summary>
    /// Adds an error if an object that a pool cannot change while it exists is not the same. The message does not show it.
    /// </summary>
    /// <param name="value">The new object.</param>
    /// <param name="setting">The name of the setting, as for <see cref="Check"/>.</param>
    /// <param name="current">The current object.</param>
    public void CheckSame(object? value, string setting, object? current) =>
        Check(
            ReferenceEquals(value, current), setting, value is null ? null : "another one",
            "the same as before, because it cannot be changed");

    /// <summary>
    /// Adds an error unless a minimum is between zero and the maximum. A maximum that is itself invalid is not compared: its own
    /// check reports it.
    /// </summary>
    /// <param name="min">The minimum.</param>
    /// <param name="setting">The name of the minimum, as for <see cref="Check"/>.</param>
    /// <param name="max">The maximum.</param>
    /// <param name="maxSetting">The name of the maximum, as the allowed range shows it.</param>
    /// <param name="maxIsValid">Whether the maximum is in its own range.</param>
    internal void CheckMinimum(int min, string setting, int max, string maxSetting, bool maxIsValid)
    {
        if (min < 0 || (min > max && maxIsValid))
        {
            Add(setting, min, maxIsValid ? $"0 to {maxSetting} ({max})" : $"0 to {maxSetting}");
        }
    }

    /// <summary>
    /// Adds an error unless a delay, and the maximum that it grows to, are between 1 millisecond and 1 day. If both are, but the
    /// delay exceeds the maximum, one error names the maximum, or the delay if the maximum was not set.
    /// </summary>
    /// <param name="delay">The delay.</param>
    /// <param name="prefix">The name of the options that contain both, with a dot at the end; empty for none.</param>
    /// <param name="setting">The name of the delay.</param>
    /// <param name="max">The maximum.</param>
    /// <param name="maxSetting">The name of the maximum.</param>
    /// <param name="defaultMax">The default of the maximum.</param>
    public void CheckDelays(
        TimeSpan delay, string prefix, string setting, TimeSpan max, string maxSetting, TimeSpan defaultMax)
    {
        var (shortest, longest) = (TimeSpan.FromMilliseconds(1), TimeSpan.FromDays(1));
        var isValid = delay >= shortest && delay <= longest;
        var maxIsValid = max >= shortest && max <= longest;
        var exceeds = isValid && maxIsValid && delay > max;
        var maxWasSet = max != defaultMax;
        if (!isValid || (exceeds && !maxWasSet))
        {
            Add(prefix + setting, delay, maxIsValid ? $"{shortest} to {maxSetting} ({max})" : $"{shortest} to {longest}");
        }

        if (!maxIsValid || (exceeds && maxWasSet))
        {
            Add(prefix + maxSetting, max, isValid ? $"{setting} ({delay}) to {longest}" : $"{shortest} to {longest}");
        }
    }

    /// <summary>Throws one exception for all errors, if there are any.</summary>
    /// <param name="options">The options that were checked; the exception names its parameter "options".</param>
    /// <exception cref="ArgumentException">There are errors; the message names each of them.</exception>
    public void ThrowIfAny(object options)
    {
        if (_errors.Count > 0)
        {
            throw new ArgumentException("Invalid pool options. " + string.Join(' ', _errors), nameof(options));
        }
    }

    private void Add(string setting, object? value, string allowed) =>
        _errors.Add($"{setting} is {Show(value)}; allowed: {allowed}.");

    private static string Show(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        TimeSpan duration when duration == Timeout.InfiniteTimeSpan => "none (Timeout.InfiniteTimeSpan)",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? "null",
    };
}
