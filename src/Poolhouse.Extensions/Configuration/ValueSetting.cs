using Microsoft.Extensions.Configuration;

namespace Poolhouse.Extensions.Configuration;

/// <summary>A setting with a single value.</summary>
internal sealed class ValueSetting<TOptions, TValue>(
    string key,
    SettingKind kind,
    string allowed,
    SettingParser<TValue> parse,
    Func<TValue, string> show,
    Func<TOptions, TValue> get,
    Action<TOptions, TValue> set,
    bool allowsNone,
    IReadOnlyList<string> choices,
    bool isHidden) : Setting<TOptions>(key, kind)
{
    public override IReadOnlyList<string> Choices => choices;

    public override bool AllowsNone => allowsNone;

    public override void Bind(IConfigurationSection section, TOptions options, ICollection<string> problems)
    {
        if (section.Value is { } text && parse(text.Trim(), out var value))
        {
            set(options, value);
        }
        else
        {
            // The value is shown: settings of pools are numbers, durations and names. Secrets are not read from here.
            problems.Add(section.Value is null
                ? $"{section.Path} has no single value; allowed: {allowed}."
                : $"{section.Path} is \"{section.Value}\"; allowed: {allowed}.");
        }
    }

    public override void Read(TOptions options, string prefix, IDictionary<string, SettingValue> values) =>
        values[prefix + Key] = new SettingValue(show(get(options)), isHidden);
}
