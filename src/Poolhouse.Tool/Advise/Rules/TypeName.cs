using System.Text.RegularExpressions;

namespace Poolhouse.Tool.Advise.Rules;

/// <summary>Names of types as in source code.</summary>
internal static partial class TypeName
{
    private static readonly Dictionary<string, string> _keywords = new(StringComparer.Ordinal)
    {
        ["System.Byte"] = "byte",
        ["System.SByte"] = "sbyte",
        ["System.Char"] = "char",
        ["System.Int16"] = "short",
        ["System.UInt16"] = "ushort",
        ["System.Int32"] = "int",
        ["System.UInt32"] = "uint",
        ["System.Int64"] = "long",
        ["System.UInt64"] = "ulong",
        ["System.Single"] = "float",
        ["System.Double"] = "double",
        ["System.Decimal"] = "decimal",
        ["System.Boolean"] = "bool",
        ["System.String"] = "string",
        ["System.Object"] = "object",
    };

    /// <summary>The name without its namespace, as C# writes it.</summary>
    public static string Of(string name)
    {
        if (name.EndsWith("[]", StringComparison.Ordinal))
        {
            return Of(name[..^2]) + "[]";
        }

        if (_keywords.TryGetValue(name, out var keyword))
        {
            return keyword;
        }

        var plain = Arguments().Replace(name, "").Replace('+', '.');
        return plain[(plain.LastIndexOf('.') + 1)..];
    }

    /// <summary>A collection of the elements whose array it allocates.</summary>
    public static string OfCollection(string collection, string array)
    {
        var element = array.EndsWith("[]", StringComparison.Ordinal) ? Of(array[..^2]) : "T";
        return $"{Of(collection)}<{(element is "Entry" or "" ? "…" : element)}>";
    }

    [GeneratedRegex(@"`\d+|[\[<].*$", RegexOptions.None, 1000)]
    private static partial Regex Arguments();
}
