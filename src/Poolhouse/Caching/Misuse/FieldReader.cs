using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Poolhouse.Caching.Misuse;

/// <summary>
/// Reads the fields of objects of one type that can be compared without running user code: references, and primitive values.
/// </summary>
internal abstract class FieldReader
{
    /// <summary>Copies the values of the fields.</summary>
    public abstract object Copy(object item);

    /// <summary>Whether the fields have the values that were copied: the same references, the same numbers.</summary>
    public abstract bool IsSame(object item, object copy);

    /// <param name="type">The exact type of the objects.</param>
    /// <param name="compiles">Whether to compile the access to the fields, where that is possible: it is much faster.</param>
    public static FieldReader For(Type type, bool compiles = true)
    {
        var fields = Find(type);

        // Compiled code would not be unloaded together with a collectible type.
        return compiles && RuntimeFeature.IsDynamicCodeCompiled && !type.IsCollectible
            ? new CompiledFieldReader(fields)
            : new Reflected(fields);
    }

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A field that trimming removed cannot change.")]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "A field that trimming removed cannot change.")]
    private static FieldInfo[] Find(Type type)
    {
        var fields = new List<FieldInfo>();
        for (var current = type; current is not null; current = current.BaseType)
        {
            fields.AddRange(current.GetFields(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
                .Where(IsComparable));
        }

        return [.. fields];
    }

    private static bool IsComparable(FieldInfo field)
    {
        Type type;
        try
        {
            type = field.FieldType;
        }
        catch (Exception failure) when (failure is IOException or TypeLoadException or BadImageFormatException)
        {
            // The type is in an assembly that was not deployed, because nothing that this process calls needs it.
            return false;
        }

        return !type.IsPointer && !type.IsFunctionPointer && (!type.IsValueType || type.IsPrimitive || type.IsEnum);
    }

    private sealed class Reflected(FieldInfo[] fields) : FieldReader
    {
        public override object Copy(object item) => Array.ConvertAll(fields, field => field.GetValue(item));

        public override bool IsSame(object item, object copy)
        {
            var values = (object?[])copy;
            for (var index = 0; index < fields.Length; index++)
            {
                var value = fields[index].GetValue(item);
                if (fields[index].FieldType.IsValueType ? !Equals(value, values[index]) : !ReferenceEquals(value, values[index]))
                {
                    return false;
                }
            }

            return true;
        }
    }
}
