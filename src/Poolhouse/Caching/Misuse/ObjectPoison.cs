using System.Runtime.CompilerServices;

namespace Poolhouse.Caching.Misuse;

/// <summary>Notices changes of the fields of an object. Nothing is written to the object, and none of its code runs.</summary>
// Compared are references, by identity, and primitive values. Structs are not: comparing them could run their Equals.
internal sealed class ObjectPoison<T> : ItemPoison<T>
    where T : class
{
    private readonly ConditionalWeakTable<Type, FieldReader> _readers = [];

    // Of the items that are exactly of the type T, as they usually are.
    private FieldReader? _ofT;

    public override object Apply(T item) => ReaderOf(item).Copy(item);

    public override bool IsIntact(T item, object mark) => ReaderOf(item).IsSame(item, mark);

    private FieldReader ReaderOf(T item) =>
        item.GetType() == typeof(T)
            ? _ofT ??= FieldReader.For(typeof(T))
            : _readers.GetValue(item.GetType(), static type => FieldReader.For(type));
}
