namespace Poolhouse;

/// <summary>Creates names for pools whose options specify none, from the type of the items; the same in every run.</summary>
/// <remarks>For authors of pools.</remarks>
// Without a number: it would depend on the order in which pools are created. Without a comma: names are tag values.
public static class PoolNames
{
    /// <summary>Creates the name of a pool.</summary>
    /// <param name="item">The type of the items.</param>
    /// <returns>
    /// The name of the type as it is written in C#, without its namespace, and with semicolons instead of commas.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="item"/> is null.</exception>
    public static string For(Type item)
    {
        ArgumentNullException.ThrowIfNull(item);
        return Of(item).Replace(',', ';');
    }

    /// <summary>The name of a type as it is written in C#, without its namespace.</summary>
    internal static string Of(Type type)
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
