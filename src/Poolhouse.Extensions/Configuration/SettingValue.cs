namespace Poolhouse.Extensions.Configuration;

/// <summary>The value of a setting, as it would be written in configuration.</summary>
/// <param name="Text">The value; null if the setting is not there.</param>
/// <param name="IsHidden">Whether the log leaves the value out.</param>
internal readonly record struct SettingValue(string? Text, bool IsHidden = false);
