using System.Buffers;

namespace Poolhouse.Tests.Buffers;

public sealed class Lengths
{
    private const int LongestPooled = 1 << 30;

    public static TheoryData<int> Requests()
    {
        var data = new TheoryData<int>();
        data.AddRange(Enumerable.Range(0, 130).ToArray());
        for (var length = 256; length <= 1 << 24; length *= 2)
        {
            data.AddRange(length - 1, length, length + 1);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Requests))]
    public void A_rented_array_is_as_long_as_one_from_ArrayPool_Shared(int request)
    {
        using var pool = Pools.Make<byte>();

        Assert.Equal(LengthFrom(ArrayPool<byte>.Shared, request), LengthFrom(pool, request));
        Assert.Equal(LengthFrom(ArrayPool<byte>.Shared, request), LengthFrom(TieredArrayPool<byte>.Shared, request));
    }

    [Theory]
    [MemberData(nameof(Requests))]
    public void A_reused_array_has_the_same_length(int request)
    {
        using var pool = Pools.Make<byte>();
        var first = LengthFrom(pool, request);

        Assert.Equal(first, LengthFrom(pool, request));
        Assert.Equal(request == 0 ? 0 : 1, pool.AssertBalanced().Hits);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(17)]
    [InlineData(1000)]
    public void Lengths_are_counted_in_elements_whatever_their_size(int request)
    {
        Assert.Equal(LengthFrom(ArrayPool<string>.Shared, request), LengthFrom(TieredArrayPool<string>.Shared, request));
        Assert.Equal(LengthFrom(ArrayPool<decimal>.Shared, request), LengthFrom(TieredArrayPool<decimal>.Shared, request));
        Assert.Equal(
            LengthFrom(ArrayPool<(string, int)>.Shared, request), LengthFrom(TieredArrayPool<(string, int)>.Shared, request));
    }

    [Fact]
    public void A_length_of_zero_returns_the_same_empty_array_and_is_not_counted()
    {
        using var pool = Pools.Make<byte>();
        var empty = pool.Rent(0);

        Assert.Empty(empty);
        Assert.Same(empty, pool.Rent(0));
        pool.Return(empty);
        Assert.Equal("No activity.", pool.GetStatistics().ToString());
    }

    [Fact]
    public void The_array_returned_last_is_rented_first()
    {
        using var pool = Pools.Make<int>();
        var (older, newer) = (pool.Rent(100), pool.Rent(100));
        pool.Return(older);
        pool.Return(newer);

        Assert.Same(newer, pool.Rent(100));
        Assert.Same(older, pool.Rent(100));
    }

    [Fact]
    public void A_foreign_array_of_a_pooled_length_is_accepted_as_ArrayPool_does()
    {
        using var pool = Pools.Make<int>();
        var foreign = new int[64];
        pool.Return(foreign);

        Assert.Same(foreign, pool.Rent(33));
    }

    [Fact]
    public void The_longest_pooled_array_has_2_to_the_30th_elements_and_longer_ones_are_allocated_exactly_and_not_kept()
    {
        using var pool = Pools.Make<byte>(budget: 4L << 30);

        AssertKept(pool, LongestPooled - 1, LongestPooled);
        Assert.Equal(LongestPooled, pool.GetStatistics().RetainedBytes);
        Assert.Equal(1, pool.Trim());
        AssertDropped(pool, LongestPooled + 1);
        Assert.Equal(0, pool.AssertBalanced().RetainedBytes);
        GC.Collect();
    }

    private static void AssertKept(TieredArrayPool<byte> pool, int request, int length)
    {
        var array = pool.Rent(request);
        Assert.Equal(length, array.Length);
        pool.Return(array);
        var again = pool.Rent(request);
        Assert.True(ReferenceEquals(array, again));
        pool.Return(again);
    }

    private static void AssertDropped(TieredArrayPool<byte> pool, int request)
    {
        var surplus = pool.GetStatistics().Surplus;
        var array = pool.Rent(request);
        Assert.Equal(request, array.Length);
        pool.Return(array);
        Assert.Equal(surplus + 1, pool.GetStatistics().Surplus);
    }

    private static int LengthFrom<T>(ArrayPool<T> pool, int request)
    {
        var array = pool.Rent(request);
        pool.Return(array);
        return array.Length;
    }
}
