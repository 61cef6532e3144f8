using System.CommandLine;
using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Cli;

/// <summary>The option <c>--provider</c>.</summary>
internal static class ProviderOption
{
    public static Option<string?> Create(string description)
    {
        var option = new Option<string?>("--provider")
        {
            Description = description,
            HelpName = string.Join('|', DatabaseKinds.Providers),
        };
        option.Validators.Add(result =>
        {
            if (result.Tokens is [{ Value: var name }] && !DatabaseKinds.Providers.Contains(name, StringComparer.Ordinal))
            {
                result.AddError(
                    $"--provider '{name}' is not supported; allowed: {string.Join(", ", DatabaseKinds.Providers)}.");
            }
        });
        return option;
    }

    public static DatabaseKind? KindOf(string? provider) => provider is null ? null : DatabaseKinds.OfProvider(provider);
}
