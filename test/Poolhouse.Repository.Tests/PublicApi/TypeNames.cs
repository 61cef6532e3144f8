using System.Globalization;

namespace Poolhouse.Repository.Tests.PublicApi;

/// <summary>Types and constants as C# writes them.</summary>
internal static class TypeNames
{
    private static readonly Dictionary<Type, string> _keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(object)] = "object",
        [typeof(string)] = "string",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(char)] = "char",
        [typeof(int)] = "int",
        [typeof(long)] = "long",
        [typeof(double)] = "double",
    };

    public static string Show(Type type)
    {
        if (_keywords.TryGetValue(type, out var keyword))
        {
            return keyword;
        }

        if (type.IsByRef || type.IsArray)
        {
            return type.IsByRef ? "ref " + Show(type.GetElementType()!) : Show(type.GetElementType()!) + "[]";
        }

        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Show(underlying) + "?";
        }

        return type.IsGenericType ? $"{Bare(type)}<{string.Join(", ", type.GetGenericArguments().Select(Show))}>" : type.Name;
    }

    /// <summary>The name without its type arguments.</summary>
    public static string Bare(Type type) => type.Name.Split('`')[0];

    public static string Show(object? constant, Type type) => constant switch
    {
        null => type.IsValueType && Nullable.GetUnderlyingType(type) is null ? "default" : "null",
        string text => $"\"{text}\"",
        bool truth => truth ? "true" : "false",
        _ when type.IsEnum => $"{type.Name}.{Enum.GetName(type, constant) ?? constant}",
        _ => Convert.ToString(constant, CultureInfo.InvariantCulture)!,
    };
}
