namespace Poolhouse.Kernel;

/// <summary>Creates names for pools whose options specify none, from the type of the items; the same in every run.</summary>
// Without a number: it would depend on the order in which pools are created (ADR 27). Without a comma: names are tag values.
internal static class PoolNames
{
    public static string For(Type item) => Of(item).Replace(',', ';');

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
