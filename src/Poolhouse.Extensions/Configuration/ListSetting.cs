using Microsoft.Extensions.Configuration;

namespace Poolhouse.Extensions.Configuration;

/// <summary>A setting that is a list of texts.</summary>
internal sealed class ListSetting<TOptions>(string key, Func<TOptions, IList<string>> get)
    : Setting<TOptions>(key, SettingKind.List)
{
    public override void Bind(IConfigurationSection section, TOptions options, ICollection<string> problems)
    {
        if (!string.IsNullOrEmpty(section.Value) && section.GetChildren().Any())
        {
            // They come from two sources, and the section does not tell which one is the later.
            problems.Add($"{section.Path} is both a text and an array; allowed: one of them.");
            return;
        }

        List<string> texts = section.Value is { } value
            ? [.. value.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)]
            : [.. section.GetChildren().Select(child => child.Value ?? "")];
        if (texts.Exists(string.IsNullOrWhiteSpace))
        {
            problems.Add($"{section.Path} has an element without a value; allowed: a list of texts.");
            return;
        }

        var list = get(options);
        list.Clear();
        texts.ForEach(list.Add);
    }

    public override void Read(TOptions options, string prefix, IDictionary<string, SettingValue> values) =>
        values[prefix + Key] = new SettingValue(string.Join(",", get(options)));
}
