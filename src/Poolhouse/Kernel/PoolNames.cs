using System.Globalization;

namespace Poolhouse.Kernel;

/// <summary>Creates names for pools whose options specify none: the type of the item and a number.</summary>
internal static class PoolNames
{
    private static int _last;

    public static string For(Type item) =>
        string.Create(CultureInfo.InvariantCulture, $"{Show(item)}-{Interlocked.Increment(ref _last)}");

    private static string Show(Type type)
    {
        if (type.IsArray)
        {
            return Show(type.GetElementType()!) + "[]";
        }

        if (!type.IsGenericType)
        {
            return type.Name;
        }

        var name = type.Name.AsSpan();
        var tick = name.IndexOf('`');
        return $"{(tick < 0 ? name : name[..tick])}<{string.Join(',', type.GetGenericArguments().Select(Show))}>";
    }
}
