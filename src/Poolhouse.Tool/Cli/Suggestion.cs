namespace Poolhouse.Tool.Cli;

/// <summary>Suggests a correction for a mistyped word.</summary>
internal static class Suggestion
{
    /// <summary>More differences than this share of the word's length make it another word.</summary>
    private const double MostDifferent = 0.45;

    /// <summary>" Did you mean '…'?", or nothing if no name is similar.</summary>
    public static string For(string word, IEnumerable<string> names)
    {
        var best = names.MinBy(name => Distance(word, name));
        return best is not null && Distance(word, best) <= MostDifferent * word.Length ? $" Did you mean '{best}'?" : "";
    }

    /// <summary>How many letters must be changed, added or removed (Levenshtein).</summary>
    private static int Distance(string word, string name)
    {
        int[] previous = [.. Enumerable.Range(0, name.Length + 1)];
        for (var i = 1; i <= word.Length; i++)
        {
            var current = new int[name.Length + 1];
            current[0] = i;
            for (var j = 1; j <= name.Length; j++)
            {
                var changed = previous[j - 1] + (word[i - 1] == name[j - 1] ? 0 : 1);
                current[j] = Math.Min(changed, Math.Min(previous[j], current[j - 1]) + 1);
            }

            previous = current;
        }

        return previous[^1];
    }
}
