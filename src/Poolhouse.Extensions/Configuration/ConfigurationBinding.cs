using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace Poolhouse.Extensions.Configuration;

/// <summary>
/// Binds the options of one pool to a configuration section, reports every problem at once, and announces changes of the section.
/// </summary>
internal sealed class ConfigurationBinding<[DynamicallyAccessedMembers(
    DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
    string name,
    IConfigurationSection section,
    SettingsMap<TOptions> map) : IConfigureNamedOptions<TOptions>, IValidateOptions<TOptions>, IOptionsChangeTokenSource<TOptions>
    where TOptions : class
{
    // Binding cannot return problems, and throwing there would hide those of other sections: they wait here until validation.
    private static readonly ConditionalWeakTable<TOptions, List<string>> _problems = [];

    public string Name => name;

    public void Configure(string? name, TOptions options)
    {
        if (string.Equals(name, Name, StringComparison.Ordinal))
        {
            var problems = _problems.GetOrCreateValue(options);
            if (!string.IsNullOrEmpty(section.Value))
            {
                // The value is not repeated: it may be a connection string.
                problems.Add($"{section.Path} is a value; allowed: a section.");
            }

            map.Bind(section, options, problems);
        }
    }

    public void Configure(TOptions options) => Configure(Options.DefaultName, options);

    public ValidateOptionsResult Validate(string? name, TOptions options)
    {
        if (!string.Equals(name, Name, StringComparison.Ordinal) || !_problems.TryGetValue(options, out var problems)
            || problems.Count == 0)
        {
            return ValidateOptionsResult.Skip;
        }

        // If options are bound to two sections, the first validation reports the problems of both.
        _problems.Remove(options);
        return ValidateOptionsResult.Fail(problems);
    }

    public IChangeToken GetChangeToken() => section.GetReloadToken();
}
