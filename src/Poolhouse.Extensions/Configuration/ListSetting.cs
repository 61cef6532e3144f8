using Microsoft.Extensions.Configuration;

namespace Poolhouse.Extensions.Configuration;

/// <summary>A setting that is a list of texts.</summary>
internal sealed class ListSetting<TOptions>(string key, Func<TOptions, IList<string>> get)
    : Setting<TOptions>(key, SettingKind.List)
{
    public override void Bind(IConfigurationSection section, TOptions options, ICollection<string> problems)
    {
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
