using System.CommandLine;
using System.CommandLine.Parsing;

namespace Poolhouse.Tool.Cli;

/// <summary>Removes secrets from captions and messages, and the folder of the report from captions.</summary>
internal static class Secrets
{
    private const string Hidden = "…";

    /// <summary>
    /// The command that repeats the figures: as typed, but without the option that names the folder of the report, which is a
    /// path of this machine, with a mark where the values of some options stood, and characters that cannot be printed as \uXXXX.
    /// </summary>
    public static string CommandOf(ParseResult result, Option report, params ReadOnlySpan<string?> hidden)
    {
        var words = new List<string> { "poolhouse" };
        var isFolder = false;
        foreach (var token in result.Tokens)
        {
            if (token.Type == TokenType.Option && token.Value == report.Name)
            {
                isFolder = true;
            }
            else if (isFolder)
            {
                isFolder = false;
            }
            else
            {
                words.Add(hidden.Contains(token.Value) ? Hidden : Printable.Of(token.Value));
            }
        }

        return string.Join(' ', words);
    }

    /// <summary>
    /// A word of the command line that was not understood, up to an equals sign or a colon: what follows may be a secret, as in a
    /// mistyped option, or in a connection string that the shell has split.
    /// </summary>
    public static string WithoutValue(string word) => word.Split('=', ':')[0];
}
