using System.CommandLine.Parsing;
using System.Globalization;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>Reads <c>--threads 1,2,4</c>.</summary>
internal static class ThreadCounts
{
    public const int Most = 256;

    public static IReadOnlyList<int>? Parse(ArgumentResult result)
    {
        var text = string.Join(',', result.Tokens.Select(token => token.Value));
        if (TryParse(text, out var counts, out var error))
        {
            return counts;
        }

        result.AddError(error);
        return null;
    }

    public static bool TryParse(string text, out IReadOnlyList<int> counts, out string error)
    {
        var numbers = new SortedSet<int>();
        foreach (var part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            if (!int.TryParse(part, NumberStyles.None, CultureInfo.InvariantCulture, out var number) || number is < 1 or > Most)
            {
                counts = [];
                error = $"--threads takes numbers from 1 to {Units.Count(Most)} with commas between, such as 1,2,4; "
                    + $"'{part}' is not one.";
                return false;
            }

            numbers.Add(number);
        }

        counts = [.. numbers];
        error = "";
        return true;
    }
}
