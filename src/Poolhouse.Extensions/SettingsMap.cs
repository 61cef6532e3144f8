using System.Globalization;
using Microsoft.Extensions.Configuration;
using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Extensions;

/// <summary>
/// The settings of one options type: which keys there are, and how each is parsed and shown. Used to bind configuration, and to
/// describe what a reload changed. For authors of pools.
/// </summary>
/// <typeparam name="TOptions">The type of the options.</typeparam>
/// <remarks>
/// Fill it once, for instance in a static property; after that it is thread safe. It uses no reflection, so it is safe to trim.
/// </remarks>
public sealed class SettingsMap<TOptions>
{
    private readonly List<Setting<TOptions>> _settings = [];

    /// <summary>
    /// Sets the properties whose keys are present, and adds a problem for each unknown key and each value that cannot be parsed.
    /// </summary>
    internal void Bind(IConfigurationSection section, TOptions options, ICollection<string> problems)
    {
        foreach (var child in section.GetChildren())
        {
            var setting = _settings.Find(each => string.Equals(each.Key, child.Key, StringComparison.OrdinalIgnoreCase));
            if (setting is not null)
            {
                setting.Bind(child, options, problems);
            }
            else
            {
                problems.Add($"{child.Path} is not a setting; allowed: {string.Join(", ", _settings.Select(each => each.Key))}.");
            }
        }
    }

    /// <summary>
    /// Replaces the inner options that the app has set, because it may set the same ones for several pools and at each reload.
    /// </summary>
    internal void CopySections(TOptions options)
    {
        foreach (var setting in _settings)
        {
            setting.CopySection(options);
        }
    }

    internal void Read(TOptions options, string prefix, IDictionary<string, SettingValue> values)
    {
        foreach (var setting in _settings)
        {
            setting.Read(options, prefix, values);
        }
    }

    internal IReadOnlyList<SettingDescription> Describe() =>
        [.. _settings.Select(each => new SettingDescription(each.Key, each.Kind, each.AllowsNone, each.Choices, each.Inner))];

    /// <summary>Adds a duration: hh:mm:ss, d.hh:mm:ss, or none.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> Duration(string key, Func<TOptions, TimeSpan> get, Action<TOptions, TimeSpan> set) => Add(
        key, SettingKind.Duration, "hh:mm:ss, d.hh:mm:ss, or none", SettingFormats.TryParseDuration, SettingFormats.Show, get,
        set, allowsNone: true);

    /// <summary>Adds an integer.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> WholeNumber(string key, Func<TOptions, int> get, Action<TOptions, int> set) => Add(
        key, SettingKind.Integer, "an integer", SettingFormats.TryParseInteger, ShowInteger, get, set);

    /// <summary>Adds an integer for which the largest value means no limit, written as none.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> Limit(string key, Func<TOptions, int> get, Action<TOptions, int> set) => Add(
        key,
        SettingKind.Integer,
        "an integer, or none",
        static (string text, out int value) =>
        {
            value = int.MaxValue;
            return SettingFormats.IsNone(text) || SettingFormats.TryParseInteger(text, out value);
        },
        static value => value == int.MaxValue ? SettingFormats.None : ShowInteger(value),
        get,
        set,
        allowsNone: true);

    /// <summary>Adds an integer, or none for null.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> OptionalWholeNumber(string key, Func<TOptions, int?> get, Action<TOptions, int?> set) => Add(
        key,
        SettingKind.Integer,
        "an integer, or none",
        static (string text, out int? value) =>
        {
            value = SettingFormats.TryParseInteger(text, out var number) ? number : null;
            return value is not null || SettingFormats.IsNone(text);
        },
        static value => value is { } number ? ShowInteger(number) : SettingFormats.None,
        get,
        set,
        allowsNone: true);

    /// <summary>Adds a number.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> Number(string key, Func<TOptions, double> get, Action<TOptions, double> set) => Add(
        key,
        SettingKind.Number,
        "a number",
        SettingFormats.TryParseNumber,
        static value => value.ToString(CultureInfo.InvariantCulture),
        get,
        set);

    /// <summary>Adds a setting that is true or false.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> Flag(string key, Func<TOptions, bool> get, Action<TOptions, bool> set) => Add(
        key, SettingKind.Boolean, "true or false", bool.TryParse, static value => value ? "true" : "false", get, set);

    /// <summary>Adds a text, or none for null. Not for secrets: changed settings are logged.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> Text(string key, Func<TOptions, string?> get, Action<TOptions, string?> set) =>
        AddText(key, get, set, isHidden: false);

    /// <summary>
    /// Adds a text like <see cref="Text"/>; that it was changed is logged, but not its value. For SQL and other texts that do not
    /// belong in a log.
    /// </summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> HiddenText(string key, Func<TOptions, string?> get, Action<TOptions, string?> set) =>
        AddText(key, get, set, isHidden: true);

    /// <summary>Adds a choice between the names of an enum, or of several if the enum has flags: separated by commas.</summary>
    /// <typeparam name="TEnum">The type of the setting.</typeparam>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> Choice<TEnum>(string key, Func<TOptions, TEnum> get, Action<TOptions, TEnum> set)
        where TEnum : struct, Enum
    {
        var names = Enum.GetNames<TEnum>();
        var hasFlags = SettingFormats.HasFlags<TEnum>();
        return Add(
            key,
            hasFlags ? SettingKind.Text : SettingKind.Choice,
            string.Join(" or ", names) + (hasFlags ? ", or several of them, separated by commas" : ""),
            SettingFormats.TryParseChoice,
            static value => value.ToString(),
            get,
            set,
            choices: hasFlags ? [] : names);
    }

    /// <summary>Adds a choice between the names of an enum, or none for null.</summary>
    /// <typeparam name="TEnum">The type of the setting.</typeparam>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the value.</param>
    /// <param name="set">Sets the value.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> OptionalChoice<TEnum>(string key, Func<TOptions, TEnum?> get, Action<TOptions, TEnum?> set)
        where TEnum : struct, Enum
    {
        var names = Enum.GetNames<TEnum>();
        return Add(
            key,
            SettingKind.Choice,
            string.Join(" or ", names) + ", or none",
            static (string text, out TEnum? value) =>
            {
                value = SettingFormats.TryParseChoice<TEnum>(text, out var choice) ? choice : null;
                return value is not null || SettingFormats.IsNone(text);
            },
            static value => value?.ToString() ?? SettingFormats.None,
            get,
            set,
            allowsNone: true,
            choices: names);
    }

    /// <summary>
    /// Adds a list of texts: an array, or one text with commas. It replaces the list that was set before.
    /// </summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the list.</param>
    /// <returns>This map.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="get"/> is null.</exception>
    public SettingsMap<TOptions> List(string key, Func<TOptions, IList<string>> get)
    {
        ArgumentNullException.ThrowIfNull(get);
        _settings.Add(new ListSetting<TOptions>(key, get));
        return this;
    }

    /// <summary>Adds a section with settings of its own.</summary>
    /// <typeparam name="TInner">The type of the inner options.</typeparam>
    /// <param name="key">The name of the property.</param>
    /// <param name="map">The settings of the section.</param>
    /// <param name="get">Gets the inner options, or null.</param>
    /// <param name="getOrCreate">
    /// Gets inner options that may be changed, and creates them if there are none. If an app can set an object of its own, which
    /// it may share between pools, replace it by a copy here.
    /// </param>
    /// <param name="clear">Removes the inner options if the value is "none"; null if they are required.</param>
    /// <returns>This map.</returns>
    public SettingsMap<TOptions> Section<TInner>(
        string key,
        SettingsMap<TInner> map,
        Func<TOptions, TInner?> get,
        Func<TOptions, TInner> getOrCreate,
        Action<TOptions>? clear = null)
        where TInner : class
    {
        _settings.Add(new SectionSetting<TOptions, TInner>(key, map, get, getOrCreate, clear));
        return this;
    }

    /// <summary>Adds a section with the settings of an inner resource pool.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the options of the inner pool.</param>
    /// <param name="set">Sets them: before they are changed, a copy of those that the app has set, or new ones.</param>
    /// <returns>This map.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public SettingsMap<TOptions> ResourcePool(
        string key, Func<TOptions, ResourcePoolOptions?> get, Action<TOptions, ResourcePoolOptions> set)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(get);
        ArgumentNullException.ThrowIfNull(set);
        return Section(
            key, CoreSettings.Resource, get,
            options => CopyOrCreate(options, get, set, static given => given.Copy(), CoreSettings.Unset));
    }

    /// <summary>Adds a section that determines when callers are shed, or none to shed no callers.</summary>
    /// <param name="key">The name of the property.</param>
    /// <param name="get">Gets the options of the section; null for none.</param>
    /// <param name="set">Sets them.</param>
    /// <returns>This map.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public SettingsMap<TOptions> Overload(
        string key, Func<TOptions, OverloadOptions?> get, Action<TOptions, OverloadOptions?> set)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(get);
        ArgumentNullException.ThrowIfNull(set);
        return Section(
            key,
            CoreSettings.Overload,
            get,
            options => CopyOrCreate(options, get, set, static given => given.Copy(), static () => new OverloadOptions()),
            options => set(options, null));
    }

    private static TInner CopyOrCreate<TInner>(
        TOptions options, Func<TOptions, TInner?> get, Action<TOptions, TInner> set, Func<TInner, TInner> copy,
        Func<TInner> create)
        where TInner : class
    {
        var inner = get(options) is { } given ? copy(given) : create();
        set(options, inner);
        return inner;
    }

    private SettingsMap<TOptions> AddText(
        string key, Func<TOptions, string?> get, Action<TOptions, string?> set, bool isHidden) => Add(
        key,
        SettingKind.Text,
        "a text, or none",
        static (string text, out string? value) =>
        {
            value = SettingFormats.IsNone(text) ? null : text;
            return true;
        },
        static value => value ?? SettingFormats.None,
        get,
        set,
        allowsNone: true,
        isHidden: isHidden);

    private SettingsMap<TOptions> Add<TValue>(
        string key,
        SettingKind kind,
        string allowed,
        SettingParser<TValue> parse,
        Func<TValue, string> show,
        Func<TOptions, TValue> get,
        Action<TOptions, TValue> set,
        bool allowsNone = false,
        IReadOnlyList<string>? choices = null,
        bool isHidden = false)
    {
        _settings.Add(new ValueSetting<TOptions, TValue>(
            key, kind, allowed, parse, show, get, set, allowsNone, choices ?? [], isHidden));
        return this;
    }

    private static string ShowInteger(int value) => value.ToString(CultureInfo.InvariantCulture);
}
