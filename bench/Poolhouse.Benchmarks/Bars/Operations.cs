using System.Buffers;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Benchmarks.Bars;

// The loops below repeat each other on purpose: each contender's is written out over its own type, so that no dispatch and no
// shared generic code stands between it and the JIT, and neither profits from the other's profile.

/// <summary>What is pooled: a small object that each rent writes to.</summary>
internal sealed class Thing
{
    public int Uses;
}

internal static class Pools
{
    public const int Retained = 2048;

    public const int Small = 2;
    public const int MoreThanSmall = 10;

    public static readonly DefaultObjectPool<Thing> SmallDefault = new(new DefaultPooledObjectPolicy<Thing>(), Small);
    public static readonly TieredObjectPool<Thing> SmallTiered =
        new(new DefaultPooledObjectPolicy<Thing>(), new ObjectPoolOptions { MaxRetained = Small });
    public static readonly DefaultObjectPool<Thing> Default = new(new DefaultPooledObjectPolicy<Thing>(), Retained);
    public static readonly TieredObjectPool<Thing> Tiered = Make();
    public static readonly TieredObjectPool<Thing> Guarded = Make();
    public static readonly ArrayPool<byte> Created = ArrayPool<byte>.Create();
    public static readonly TieredArrayPool<byte> TieredArrays = new();

    [ThreadStatic]
    private static Thing[]? _things;

    [ThreadStatic]
    private static byte[][]? _arrays;

    public static Thing[] Things => _things ??= new Thing[Retained];

    public static byte[][] Arrays => _arrays ??= new byte[8][];

    private static TieredObjectPool<Thing> Make() =>
        new(new DefaultPooledObjectPolicy<Thing>(), new ObjectPoolOptions { MaxRetained = Retained });
}

internal interface IDepth
{
    static abstract int Value { get; }
}

internal readonly struct Depth1 : IDepth
{
    public static int Value => 1;
}

internal readonly struct Depth2 : IDepth
{
    public static int Value => 2;
}

internal readonly struct Depth4 : IDepth
{
    public static int Value => 4;
}

internal readonly struct Depth8 : IDepth
{
    public static int Value => 8;
}

internal readonly struct Depth64 : IDepth
{
    public static int Value => 64;
}

internal readonly struct Depth256 : IDepth
{
    public static int Value => 256;
}

internal readonly struct Depth1024 : IDepth
{
    public static int Value => 1024;
}

internal readonly struct Depth2048 : IDepth
{
    public static int Value => 2048;
}

internal readonly struct TieredPair : IOperation
{
    public static void Run(int pairs)
    {
        var pool = Pools.Tiered;
        for (var i = 0; i < pairs; i++)
        {
            var thing = pool.Get();
            thing.Uses++;
            pool.Return(thing);
        }
    }
}

internal readonly struct DefaultPair : IOperation
{
    public static void Run(int pairs)
    {
        var pool = Pools.Default;
        for (var i = 0; i < pairs; i++)
        {
            var thing = pool.Get();
            thing.Uses++;
            pool.Return(thing);
        }
    }
}

internal readonly struct GuardedPair : IOperation
{
    public static void Run(int pairs)
    {
        var pool = Pools.Guarded;
        for (var i = 0; i < pairs; i++)
        {
            using var lease = pool.Rent();
            lease.Value.Uses++;
        }
    }
}

internal readonly struct TieredDrain<TDepth> : IOperation
    where TDepth : struct, IDepth
{
    public static void Run(int pairs)
    {
        var pool = Pools.Tiered;
        var held = Pools.Things.AsSpan(0, TDepth.Value);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = pool.Get();
            }

            foreach (var thing in held)
            {
                pool.Return(thing);
            }
        }
    }
}

internal readonly struct DefaultDrain<TDepth> : IOperation
    where TDepth : struct, IDepth
{
    public static void Run(int pairs)
    {
        var pool = Pools.Default;
        var held = Pools.Things.AsSpan(0, TDepth.Value);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = pool.Get();
            }

            foreach (var thing in held)
            {
                pool.Return(thing);
            }
        }
    }
}

/// <summary>Ten things at once out of a pool that retains two: eight are created and eight are surplus.</summary>
internal readonly struct TieredOverflow : IOperation
{
    public static void Run(int pairs)
    {
        var pool = Pools.SmallTiered;
        var held = Pools.Things.AsSpan(0, Pools.MoreThanSmall);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = pool.Get();
            }

            foreach (var thing in held)
            {
                pool.Return(thing);
            }
        }
    }
}

internal readonly struct DefaultOverflow : IOperation
{
    public static void Run(int pairs)
    {
        var pool = Pools.SmallDefault;
        var held = Pools.Things.AsSpan(0, Pools.MoreThanSmall);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = pool.Get();
            }

            foreach (var thing in held)
            {
                pool.Return(thing);
            }
        }
    }
}

internal readonly struct TieredArray : IOperation
{
    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            var array = TieredArrayPool<byte>.Shared.Rent(1000);
            array[0]++;
            TieredArrayPool<byte>.Shared.Return(array);
        }
    }
}

internal readonly struct SharedArray : IOperation
{
    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            var array = ArrayPool<byte>.Shared.Rent(1000);
            array[0]++;
            ArrayPool<byte>.Shared.Return(array);
        }
    }
}

internal readonly struct TieredArrays<TDepth> : IOperation
    where TDepth : struct, IDepth
{
    public static void Run(int pairs)
    {
        var held = Pools.Arrays.AsSpan(0, TDepth.Value);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = TieredArrayPool<byte>.Shared.Rent(1000);
            }

            foreach (var array in held)
            {
                TieredArrayPool<byte>.Shared.Return(array);
            }
        }
    }
}

internal readonly struct SharedArrays<TDepth> : IOperation
    where TDepth : struct, IDepth
{
    public static void Run(int pairs)
    {
        var held = Pools.Arrays.AsSpan(0, TDepth.Value);
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = ArrayPool<byte>.Shared.Rent(1000);
            }

            foreach (var array in held)
            {
                ArrayPool<byte>.Shared.Return(array);
            }
        }
    }
}

internal readonly struct PrivateTieredArray : IOperation
{
    public static void Run(int pairs)
    {
        var pool = Pools.TieredArrays;
        for (var i = 0; i < pairs; i++)
        {
            var array = pool.Rent(1000);
            array[0]++;
            pool.Return(array);
        }
    }
}

internal readonly struct CreatedArray : IOperation
{
    public static void Run(int pairs)
    {
        var pool = Pools.Created;
        for (var i = 0; i < pairs; i++)
        {
            var array = pool.Rent(1000);
            array[0]++;
            pool.Return(array);
        }
    }
}
