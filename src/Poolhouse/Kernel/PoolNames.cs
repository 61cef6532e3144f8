using System.Globalization;

namespace Poolhouse.Kernel;

/// <summary>Creates names for pools whose options specify none: the type of the item and a number.</summary>
internal static class PoolNames
{
    private static int _last;

    public static string For(Type item) =>
        string.Create(CultureInfo.InvariantCulture, $"{Of(item)}-{Interlocked.Increment(ref _last)}");

    /// <summary>The name of a type as it is written in C#, without its namespace.</summary>
    public static string Of(Type type)
    {
        if (type.IsArray)
        {
            return Of(type.GetElementType()!) + "[]";
        }

        if (!type.IsGenericType)
        {
            return type.Name;
        }

        var name = type.Name.AsSpan();
        var tick = name.IndexOf('`');
        return $"{(tick < 0 ? name : name[..tick])}<{string.Join(',', type.GetGenericArguments().Select(Of))}>";
    }
}
