namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>A rival's source of items. Each rival is a struct without type parameters, so that no compiled code is
/// shared.</summary>
internal interface ISource<T>
{
    T Take();

    void Give(T item);
}
