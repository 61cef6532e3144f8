using Microsoft.Extensions.Configuration;

namespace Poolhouse.Extensions.Configuration;

/// <summary>A setting that is a section with settings of its own.</summary>
internal sealed class SectionSetting<TOptions, TInner>(
    string key,
    SettingsMap<TInner> map,
    Func<TOptions, TInner?> get,
    Func<TOptions, TInner> getOrCreate,
    Action<TOptions>? clear) : Setting<TOptions>(key, SettingKind.Section)
    where TInner : class
{
    public override bool AllowsNone => clear is not null;

    public override IReadOnlyList<SettingDescription> Inner => map.Describe();

    public override void Bind(IConfigurationSection section, TOptions options, ICollection<string> problems)
    {
        var isNone = clear is not null && SettingFormats.IsNone(section.Value);
        if (isNone && section.GetChildren().Any())
        {
            // They come from two sources, and the section does not tell which one is the later.
            problems.Add($"{section.Path} is both none and a section; allowed: one of them.");
        }
        else if (isNone)
        {
            clear!(options);
        }
        else if (!string.IsNullOrEmpty(section.Value))
        {
            // The value is not repeated: it may be a connection string.
            problems.Add($"{section.Path} is a value; allowed: a section{(clear is null ? "" : ", or none")}.");
        }
        else if (clear is not null && !section.GetChildren().Any())
        {
            // null, "" and {} look the same here, and could mean either.
            problems.Add($"{section.Path} is empty; allowed: a section, or none.");
        }
        else
        {
            map.Bind(section, getOrCreate(options), problems);
        }
    }

    public override void CopySection(TOptions options)
    {
        if (get(options) is not null)
        {
            getOrCreate(options);
        }
    }

    public override void Read(TOptions options, string prefix, IDictionary<string, SettingValue> values)
    {
        if (get(options) is { } inner)
        {
            map.Read(inner, prefix + Key + ":", values);
        }
        else
        {
            values[prefix + Key] = new SettingValue(SettingFormats.None);
        }
    }
}
