using System.Runtime.CompilerServices;

namespace Poolhouse.Tests.Buffers;

public sealed class Rooting
{
    [Fact]
    public void A_returned_array_keeps_no_object_of_its_user_alive()
    {
        using var pool = Pools.Make<object>();
        var plain = PutIntoRented(pool);
        var leased = PutIntoLeased(pool);
        GC.Collect();

        Assert.False(plain.IsAlive);
        Assert.False(leased.IsAlive);
        Assert.Equal(2, pool.AssertBalanced().Retained);
    }

    [Fact]
    public void With_ClearPolicy_Never_the_array_keeps_it_alive()
    {
        using var pool = Pools.Make<object>(ClearPolicy.Never);
        var left = PutIntoRented(pool);
        GC.Collect();

        Assert.True(left.IsAlive);
        GC.KeepAlive(pool);
    }

    [Fact]
    public void A_trimmed_array_is_garbage()
    {
        using var pool = Pools.Make<byte>();
        var arrays = ReturnSome(pool);
        GC.Collect();
        Assert.All(arrays, array => Assert.True(array.IsAlive));

        pool.Trim();
        GC.Collect();

        Assert.All(arrays, array => Assert.False(array.IsAlive));
    }

    [Fact]
    public void A_rented_array_is_not_kept_alive_by_the_pool()
    {
        using var pool = Pools.Make<byte>();
        var lost = Lose(pool);
        GC.Collect();

        Assert.False(lost.IsAlive);
        Assert.Equal(1, pool.AssertBalanced().Leased);
    }

    [Fact]
    public void An_unreferenced_pool_is_collected_with_its_retained_arrays()
    {
        var (pool, array) = DropPool();
        GC.Collect();

        Assert.False(pool.IsAlive);
        Assert.False(array.IsAlive);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference PutIntoRented(TieredArrayPool<object> pool)
    {
        var item = new object();
        var array = pool.Rent(16);
        array[5] = item;
        pool.Return(array);
        return new WeakReference(item);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference PutIntoLeased(TieredArrayPool<object> pool)
    {
        var item = new object();
        using var other = pool.RentExact(1);
        using var lease = pool.RentExact(16);
        lease.Span[15] = item;
        return new WeakReference(item);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] ReturnSome(TieredArrayPool<byte> pool)
    {
        var arrays = pool.RentMany(3, 64);
        pool.ReturnAll(arrays);
        var lease = pool.RentExact(1000);
        var leased = lease.Segment.Array;
        lease.Dispose();
        return [.. arrays.Append(leased).Select(array => new WeakReference(array))];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Lose(TieredArrayPool<byte> pool) => new(pool.Rent(64));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Pool, WeakReference Array) DropPool()
    {
        var pool = new TieredArrayPool<byte>();
        var array = pool.Rent(64);
        pool.Return(array);
        return (new WeakReference(pool), new WeakReference(array));
    }
}
