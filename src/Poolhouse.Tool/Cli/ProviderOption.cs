using System.CommandLine;
using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Cli;

/// <summary>The option <c>--provider</c>.</summary>
internal static class ProviderOption
{
    // Its native libraries for all systems; the tool with all other drivers has 70 MB.
    private const string TooLarge = "its driver, of 330 MB, is too large to come with this tool";

    public static Option<string?> Create(string description)
    {
        var option = new Option<string?>("--provider")
        {
            Description = $"{description} DuckDB is missing: {TooLarge}.",
            HelpName = string.Join('|', DatabaseKinds.Providers),
        };
        option.Validators.Add(result =>
        {
            if (result.Tokens is [{ Value: var name }] && !DatabaseKinds.Providers.Contains(name, StringComparer.Ordinal))
            {
                var reason = name == "duckdb" ? $" ({TooLarge})" : "";
                result.AddError(
                    $"--provider '{name}' is not supported{reason}; allowed: {string.Join(", ", DatabaseKinds.Providers)}.");
            }
        });
        return option;
    }

    public static DatabaseKind? KindOf(string? provider) => provider is null ? null : DatabaseKinds.OfProvider(provider);
}
