using Microsoft.CodeAnalysis.Diagnostics;

namespace Poolhouse.Analyzers;

/// <summary>What the .editorconfig says about a file.</summary>
internal sealed class TreeOptions
{
    public static readonly TreeOptions None = new(new Dictionary<string, string[]>(StringComparer.Ordinal));

    private const string Prefix = "dotnet_code_quality.";
    private const string Suffix = "additional_rent_methods";

    private static readonly string[] _ids = { "PH2001", "PH2002", "PH2003", "PH2004", "PH2005", "PH2006" };

    private static readonly string[] _arrow = { "->" };

    private TreeOptions(Dictionary<string, string[]> rentMethods) => RentMethods = rentMethods;

    /// <summary>Methods of the user that rent: the method's name, and for each full name <c>N.Type.Method->Return</c>.</summary>
    public Dictionary<string, string[]> RentMethods { get; }

    public static TreeOptions Read(AnalyzerConfigOptions options)
    {
        var values = _ids.Select(id => Prefix + id + "." + Suffix).Append(Prefix + Suffix)
            .Select(key => options.TryGetValue(key, out var value) ? value : "")
            .SelectMany(value => value.Split('|', ','))
            .Select(value => string.Join("->", value.Split(_arrow, StringSplitOptions.None).Select(part => part.Trim())))
            .Where(value => value.Contains("->") && NameOf(value).Length > 0)
            .Distinct(StringComparer.Ordinal)
            .ToList();
        return values.Count == 0
            ? None
            : new TreeOptions(values.GroupBy(NameOf, StringComparer.Ordinal)
                .ToDictionary(group => group.Key, group => group.ToArray(), StringComparer.Ordinal));
    }

    /// <summary>The method of the same type that takes the item back, if the method is one that rents.</summary>
    public string? EndOf(string typeName, string method)
    {
        if (!RentMethods.TryGetValue(method, out var entries))
        {
            return null;
        }

        var full = typeName + "." + method + "->";
        var entry = entries.FirstOrDefault(entry => WithoutPrefix(entry).StartsWith(full, StringComparison.Ordinal));
        return entry?.Substring(entry.IndexOf("->", StringComparison.Ordinal) + 2);
    }

    // M:Namespace.Type.Method->Return, with or without the prefix of a documentation id.
    private static string WithoutPrefix(string entry) => entry.Length > 2 && entry[1] == ':' ? entry.Substring(2) : entry;

    private static string NameOf(string entry)
    {
        var full = entry.Substring(0, entry.IndexOf("->", StringComparison.Ordinal));
        return full.Substring(full.LastIndexOf('.') + 1);
    }
}
