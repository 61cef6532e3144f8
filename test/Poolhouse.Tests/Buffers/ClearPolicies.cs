
namespace Poolhouse.Tests.Buffers;

public sealed class ClearPolicies
{
    [Theory]
    [InlineData(ClearPolicy.Never)]
    [InlineData(ClearPolicy.References)]
    [InlineData(ClearPolicy.Always)]
    [InlineData(ClearPolicy.Sensitive)]
    public void A_new_array_of_a_private_pool_is_zero(ClearPolicy clear)
    {
        // Memory that the heap provides without zeroing it is likely to be this garbage.
        for (var round = 0; round < 200; round++)
        {
            var garbage = GC.AllocateUninitializedArray<byte>(64 << 10);
            Array.Fill(garbage, byte.MaxValue);
        }

        GC.Collect();
        using var pool = Pools.Make<byte>(clear);
        Assert.All(pool.RentMany(200, 64 << 10), array => Assert.Equal(-1, array.AsSpan().IndexOfAnyExcept((byte)0)));
    }

    [Theory]
    [InlineData(ClearPolicy.Never, 1, "left")]
    [InlineData(ClearPolicy.References, 1, null)]
    [InlineData(ClearPolicy.Always, 0, null)]
    [InlineData(ClearPolicy.Sensitive, 0, null)]
    public void The_clear_policy_determines_what_the_next_user_finds(ClearPolicy clear, int number, string? text)
    {
        Assert.Equal(number, FoundAfter(1, clear));
        Assert.Equal(text, FoundAfter("left", clear));
    }

    [Fact]
    public void A_struct_that_contains_a_reference_is_cleared_like_a_reference() =>
        Assert.Equal(default, FoundAfter((1, "left"), ClearPolicy.References));

    [Theory]
    [InlineData(ClearPolicy.Never)]
    [InlineData(ClearPolicy.References)]
    public void The_caller_of_Return_can_request_clearing(ClearPolicy clear)
    {
        using var pool = Pools.Make<int>(clear);
        var array = pool.Rent(16);
        Array.Fill(array, 1);
        pool.Return(array, clearArray: true);

        Assert.All(pool.Rent(16), element => Assert.Equal(0, element));
    }

    [Theory]
    [InlineData(ClearPolicy.Always)]
    [InlineData(ClearPolicy.Sensitive)]
    public void A_new_array_is_zero(ClearPolicy clear)
    {
        using var pool = Pools.Make<byte>(clear);

        // Enough of them that an array allocated without zeroing would show earlier content of the memory.
        foreach (var length in Enumerable.Repeat(1 << 14, 200))
        {
            var array = pool.Rent(length);
            AssertZero(array);
            Array.Fill(array, byte.MaxValue);
        }
    }

    [Theory]
    [InlineData(ClearPolicy.Always)]
    [InlineData(ClearPolicy.Sensitive)]
    public void The_whole_array_is_cleared_and_not_only_the_leased_length(ClearPolicy clear)
    {
        using var pool = Pools.Make<byte>(clear);
        var lease = pool.RentExact(17);
        var array = lease.Segment.Array!;
        Array.Fill(array, byte.MaxValue);
        lease.Dispose();

        AssertZero(array);
    }

    [Fact]
    public void A_lease_follows_the_clear_policy_like_a_plain_rent()
    {
        Assert.Equal("left", FoundAfterLease("left", ClearPolicy.Never));
        Assert.Null(FoundAfterLease("left", ClearPolicy.References));
        Assert.Equal(1, FoundAfterLease(1, ClearPolicy.References));
        Assert.Equal(0, FoundAfterLease(1, ClearPolicy.Always));
    }

    private static void AssertZero(byte[] array) => Assert.Equal(-1, array.AsSpan().IndexOfAnyExcept((byte)0));

    private static T FoundAfter<T>(T left, ClearPolicy clear)
    {
        using var pool = Pools.Make<T>(clear);
        var array = pool.Rent(16);
        array[3] = left;
        pool.Return(array);
        return pool.Rent(16)[3];
    }

    private static T FoundAfterLease<T>(T left, ClearPolicy clear)
    {
        using var pool = Pools.Make<T>(clear);
        using (var lease = pool.RentExact(4))
        {
            lease.Span[3] = left;
        }

        using var next = pool.RentExact(4);
        return next.Span[3];
    }
}
