namespace Poolhouse.Extensions.Configuration;

/// <summary>The kind of value that a setting has, for error messages and for the JSON schema.</summary>
internal enum SettingKind
{
    Integer,
    Number,
    Boolean,
    Duration,
    Choice,
    Text,
    List,
    Section,
}
