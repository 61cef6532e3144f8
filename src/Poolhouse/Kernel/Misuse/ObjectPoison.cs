using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Misuse;

/// <summary>Notices changes of the fields of an object. Nothing is written to the object, and none of its code runs.</summary>
// Compared are references, by identity, and primitive values. Structs are not: comparing them could run their Equals.
internal sealed class ObjectPoison<T> : ItemPoison<T>
    where T : class
{
    private readonly ConditionalWeakTable<Type, FieldInfo[]> _fields = [];

    public override object Apply(T item)
    {
        var fields = FieldsOf(item);
        var values = new object?[fields.Length];
        for (var index = 0; index < fields.Length; index++)
        {
            values[index] = fields[index].GetValue(item);
        }

        return values;
    }

    public override bool IsIntact(T item, object mark)
    {
        var fields = FieldsOf(item);
        var values = (object?[])mark;
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

    private FieldInfo[] FieldsOf(T item) => _fields.GetValue(item.GetType(), Find);

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A field that trimming removed cannot change.")]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "A field that trimming removed cannot change.")]
    private static FieldInfo[] Find(Type type)
    {
        var fields = new List<FieldInfo>();
        for (var current = type; current is not null; current = current.BaseType)
        {
            fields.AddRange(current.GetFields(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
                .Where(static field => !field.FieldType.IsPointer && !field.FieldType.IsFunctionPointer
                    && (!field.FieldType.IsValueType || field.FieldType.IsPrimitive || field.FieldType.IsEnum)));
        }

        return [.. fields];
    }
}
