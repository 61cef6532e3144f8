namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>In what else two runs differ: figures of unlike runs say little about Poolhouse.</summary>
internal static class RunDifferences
{
    private const string Quick = "--quick";

    /// <summary>Options that decide where results go, not what is measured.</summary>
    private static readonly string[] _places = ["--report", "--json", "--compare"];

    /// <summary>A sentence for each kind of difference.</summary>
    public static IReadOnlyList<string> Of(Machine then, Machine now)
    {
        string?[] sentences =
        [
            SentenceOf(
                "The earlier run was made on another machine",
                ("processor", then.Cpu, now.Cpu),
                ("cores", Units.Count(then.Cores), Units.Count(now.Cores)),
                ("operating system", then.System, now.System)),
            SentenceOf(
                "Versions differ",
                ("Poolhouse", then.PoolhouseVersion, now.PoolhouseVersion),
                ("runtime", then.Runtime, now.Runtime),
                ("Microsoft.Extensions.ObjectPool", then.ObjectPoolVersion, now.ObjectPoolVersion),
                ("databases", then.Databases, now.Databases)),
            SentenceOf(
                "Settings differ",
                ("options", SettingsOf(then.Command), SettingsOf(now.Command)),
                ("garbage collector", then.GarbageCollector, now.GarbageCollector),
                ("build", BuildOf(then), BuildOf(now))),
            ScenariosAreAlike(then, now)
                ? null
                : $"Scenarios last longer without {Quick}, so that their figures are not compared.",
        ];
        return [.. sentences.OfType<string>()];
    }

    /// <summary>Whether the scenarios of both runs lasted equally long.</summary>
    public static bool ScenariosAreAlike(Machine then, Machine now) => IsQuick(then) == IsQuick(now);

    private static bool IsQuick(Machine machine) => machine.Command.Split(' ').Contains(Quick, StringComparer.Ordinal);

    private static string? SentenceOf(string head, params (string Name, string Then, string Now)[] values)
    {
        List<string> different =
        [
            .. values.Where(each => each.Then != each.Now)
                .Select(each => $"{each.Name} {TextOf(each.Then)}, now {TextOf(each.Now)}"),
        ];
        return different.Count == 0 ? null : $"{head}: {string.Join("; ", different)}.";
    }

    private static string TextOf(string value) => value.Length == 0 ? "none" : value;

    private static string BuildOf(Machine machine) => machine.IsDebugBuild ? "debug" : "release";

    // The experiments come before the options or after them; those that only one run measured are counted elsewhere.
    private static string SettingsOf(string command)
    {
        var settings = new List<string>();
        string? option = null;
        foreach (var word in command.Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1))
        {
            if (word.StartsWith("--", StringComparison.Ordinal))
            {
                option = word;
                if (!_places.Contains(word, StringComparer.Ordinal))
                {
                    settings.Add(word);
                }
            }
            else if (option is not (null or Quick) && !_places.Contains(option, StringComparer.Ordinal))
            {
                settings[^1] += $" {word}";
                option = null;
            }
        }

        settings.Sort(StringComparer.Ordinal);
        return string.Join(' ', settings);
    }
}
