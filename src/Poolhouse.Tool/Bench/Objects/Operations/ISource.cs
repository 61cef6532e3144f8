namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>Where a rival's items come from. Each rival is a struct without type parameters, so that no compiled code is
/// shared.</summary>
internal interface ISource<T>
{
    T Take();

    void Give(T item);
}
