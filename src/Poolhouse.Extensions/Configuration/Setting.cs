using Microsoft.Extensions.Configuration;

namespace Poolhouse.Extensions.Configuration;

/// <summary>One key of a configuration section and the property that it sets.</summary>
/// <typeparam name="TOptions">The type of the options.</typeparam>
internal abstract class Setting<TOptions>(string key, SettingKind kind)
{
    public string Key { get; } = key;

    public SettingKind Kind { get; } = kind;

    /// <summary>The values of a choice; empty for other kinds.</summary>
    public virtual IReadOnlyList<string> Choices => [];

    /// <summary>Whether the value may be "none", for no limit.</summary>
    public virtual bool AllowsNone => false;

    /// <summary>The settings inside a section; empty for other kinds.</summary>
    public virtual IReadOnlyList<SettingDescription> Inner => [];

    /// <summary>Sets the property, or adds a problem with the full path of the key.</summary>
    public abstract void Bind(IConfigurationSection section, TOptions options, ICollection<string> problems);

    /// <summary>Replaces the inner options of a section by a copy; does nothing for other kinds.</summary>
    public virtual void CopySection(TOptions options)
    {
    }

    /// <summary>
    /// Adds the current values, each with its path below the section, as they would be written in configuration.
    /// </summary>
    public abstract void Read(TOptions options, string prefix, IDictionary<string, SettingValue> values);
}
