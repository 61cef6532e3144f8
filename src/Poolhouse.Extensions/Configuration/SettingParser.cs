using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Extensions.Configuration;

/// <summary>Parses the text of a setting.</summary>
internal delegate bool SettingParser<TValue>(string text, [MaybeNullWhen(false)] out TValue value);
