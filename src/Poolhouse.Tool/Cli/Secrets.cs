using System.CommandLine;

namespace Poolhouse.Tool.Cli;

/// <summary>Removes secrets from captions.</summary>
internal static class Secrets
{
    private const string Hidden = "…";

    /// <summary>
    /// The command as typed, with a mark where the values of some options stood, and characters that cannot be printed as \uXXXX.
    /// </summary>
    public static string CommandOf(ParseResult result, params ReadOnlySpan<string?> hidden)
    {
        var words = new List<string> { "poolhouse" };
        foreach (var token in result.Tokens)
        {
            words.Add(hidden.Contains(token.Value) ? Hidden : Printable.Of(token.Value));
        }

        return string.Join(' ', words);
    }
}
