namespace Poolhouse.Tests.Buffers;

/// <summary>A thread keeps short arrays for itself; arrays of 512 KiB and more are shared by all threads.</summary>
public sealed class LargeArrays
{
    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Theory]
    [InlineData(512 << 10, true)]
    [InlineData(1 << 20, true)]
    [InlineData(256 << 10, false)]
    public void A_thread_gets_the_large_array_that_was_returned_last_by_whichever_thread(int length, bool isShared)
    {
        var (first, second) = (_pool.Rent(length), _pool.Rent(length));
        _pool.Return(first);
        Threads.Run(1, _ => _pool.Return(second));

        Assert.Same(isShared ? second : first, _pool.Rent(length));
        Assert.Equal(1, _pool.AssertBalanced().Hits);
    }

    [Fact]
    public void The_same_applies_to_leased_memory()
    {
        var (first, second) = (_pool.RentExact(1 << 20), _pool.RentExact(1 << 20));
        second.Span[0] = 2;
        first.Dispose();
        Threads.Run(1, _ => second.Dispose());

        using var lease = _pool.RentExact(1 << 20);

        Assert.Equal(2, lease.Span[0]);
        Assert.Equal(1, _pool.AssertBalanced().Hits);
    }
}
