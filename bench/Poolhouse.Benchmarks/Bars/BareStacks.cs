using System.Runtime.CompilerServices;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>
/// What a pool could take at best: an array and a count for each thread, found through a thread static, and nothing else: no
/// bound for all threads together, no counters, no sweep, no disposal.
/// </summary>
internal sealed class BareStack(int max)
{
    [ThreadStatic]
    private static BareStack? _things;

    [ThreadStatic]
    private static BareStack? _fewThings;

    [ThreadStatic]
    private static BareStack? _arrays;

    private readonly Slot[] _slots = new Slot[max];
    private int _count;

    public static BareStack Things => _things ??= new BareStack(Pools.Retained);

    public static BareStack FewThings => _fewThings ??= new BareStack(Pools.Small);

    public static BareStack Arrays => _arrays ??= new BareStack(Pools.Arrays.Length);

    // The count is volatile, as the state of a pool's stack is, so that no access is optimized away in a loop.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? Take()
    {
        var top = Volatile.Read(ref _count) - 1;
        var slots = _slots;
        if ((uint)top >= (uint)slots.Length)
        {
            return null;
        }

        var item = slots[top].Item;
        slots[top].Item = null;
        Volatile.Write(ref _count, top);
        return item;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Put(object item)
    {
        var count = Volatile.Read(ref _count);
        var slots = _slots;
        if ((uint)count < (uint)slots.Length)
        {
            slots[count].Item = item;
            Volatile.Write(ref _count, count + 1);
        }
    }

    // Storing to an array of a struct does not check the type of the item.
    private struct Slot
    {
        public object? Item;
    }
}

internal readonly struct BareThing : IOperation
{
    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            var thing = Unsafe.As<Thing>(BareStack.Things.Take()) ?? new Thing();
            thing.Uses++;
            BareStack.Things.Put(thing);
        }
    }
}

/// <summary>With a locked exchange, which decides who ends a lease.</summary>
internal readonly struct BareLease : IOperation
{
    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            var thing = Unsafe.As<Thing>(BareStack.Things.Take()) ?? new Thing();
            thing.Uses++;
            Interlocked.Exchange(ref thing.Uses, i);
            BareStack.Things.Put(thing);
        }
    }
}

internal readonly struct BareThings<TDepth> : IOperation
    where TDepth : struct, IDepth
{
    public static void Run(int pairs)
    {
        var held = Pools.Things.AsSpan(0, TDepth.Value);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = Unsafe.As<Thing>(BareStack.Things.Take()) ?? new Thing();
            }

            foreach (var thing in held)
            {
                BareStack.Things.Put(thing);
            }
        }
    }
}

internal readonly struct BareOverflow : IOperation
{
    public static void Run(int pairs)
    {
        var held = Pools.Things.AsSpan(0, Pools.MoreThanSmall);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = Unsafe.As<Thing>(BareStack.FewThings.Take()) ?? new Thing();
            }

            foreach (var thing in held)
            {
                BareStack.FewThings.Put(thing);
            }
        }
    }
}

internal readonly struct BareArray : IOperation
{
    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            var array = Unsafe.As<byte[]>(BareStack.Arrays.Take()) ?? new byte[1024];
            array[0]++;
            BareStack.Arrays.Put(array);
        }
    }
}

internal readonly struct BareArrays<TDepth> : IOperation
    where TDepth : struct, IDepth
{
    public static void Run(int pairs)
    {
        var held = Pools.Arrays.AsSpan(0, TDepth.Value);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = Unsafe.As<byte[]>(BareStack.Arrays.Take()) ?? new byte[1024];
            }

            foreach (var array in held)
            {
                BareStack.Arrays.Put(array);
            }
        }
    }
}
