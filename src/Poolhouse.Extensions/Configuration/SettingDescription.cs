namespace Poolhouse.Extensions.Configuration;

/// <summary>Describes a setting without the type of its options: what the JSON schema is generated from.</summary>
internal sealed record SettingDescription(
    string Key,
    SettingKind Kind,
    bool AllowsNone,
    IReadOnlyList<string> Choices,
    IReadOnlyList<SettingDescription> Inner);
