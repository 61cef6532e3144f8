#pragma warning disable IDE0130 // It replaces the type of this name, whose source is left out of the second compilation.
using Poolhouse.Caching.Threads;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Buffers;
#pragma warning restore IDE0130

/// <summary>
/// The number of the running actor. It has no stacks, because the real thread of an actor runs others later, so that the
/// shared pool always takes its slow path.
/// </summary>
internal sealed class ThreadState<T>(int number)
{
    public const int SharedCount = 27;

    public static ThreadState<T>? Current => new(ThreadIndex.Current);

    public int Number { get; } = number;

    public static ThreadState<T> GetOrCreate() => Current!;

#pragma warning disable CA1822 // Members of an instance, as in the type that it replaces.
    public ThreadStack? FindShared(int index) => null;

    public void AddShared(int index, ThreadStack stack)
    {
    }
#pragma warning restore CA1822
}
