using System.Buffers;

namespace Poolhouse.Tests.Buffers;

/// <summary>A warm pool allocates nothing.</summary>
public sealed class AllocationGates
{
    private const int Cycles = 10_000;
    private const int WriterBytes = 48;

    private readonly TieredArrayPool<byte> _bytes = Pools.Make<byte>();

    [Theory]
    [InlineData(1, 16)]
    [InlineData(1, 1000)]
    [InlineData(1, 1 << 20)]
    [InlineData(1, 8 << 20)]
    [InlineData(8, 16)]
    [InlineData(8, 1000)]
    [InlineData(8, 1 << 20)]
    [InlineData(40, 1000)]
    public void Rent_and_return(int depth, int length)
    {
        AssertAllocates(0, RentAndReturn(_bytes, depth, length));
        AssertAllocates(0, RentAndReturn(TieredArrayPool<byte>.Shared, depth, length));
    }

    [Fact]
    public void Rent_and_return_of_references()
    {
        using var pool = Pools.Make<string>();

        AssertAllocates(0, RentAndReturn(pool, 1, 100));
        AssertAllocates(0, RentAndReturn(pool, 8, 100));
    }

    [Fact]
    public void Rent_and_return_through_ArrayPool() =>
        AssertAllocates(0, RentAndReturn((ArrayPool<byte>)_bytes, 8, 1000));

    [Fact]
    public void Renting_an_empty_array() => AssertAllocates(0, () => _bytes.Return(_bytes.Rent(0)));

    [Fact]
    public void Rent_and_return_under_every_clear_policy() => Assert.All(Enum.GetValues<ClearPolicy>(), clear =>
    {
        using var pool = Pools.Make<byte>(clear);
        AssertAllocates(0, RentAndReturn(pool, 4, 100));
    });

    [Theory]
    [InlineData(1, 0)]
    [InlineData(1, 100)]
    [InlineData(1, 1 << 20)]
    [InlineData(8, 100)]
    [InlineData(40, 100)]
    public void Renting_and_ending_an_exact_lease(int depth, int length)
    {
        var leases = new BufferLease<byte>[depth];
        AssertAllocates(0, () =>
        {
            for (var i = 0; i < leases.Length; i++)
            {
                leases[i] = _bytes.RentExact(length);
            }

            foreach (var lease in leases)
            {
                lease.Span.Clear();
                lease.Dispose();
            }
        });
    }

    [Fact]
    public void Ending_a_lease_a_second_time()
    {
        var lease = _bytes.RentExact(100);
        lease.Dispose();

        AssertAllocates(0, lease.Dispose);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public void A_memory_whose_owner_is_reused(int depth)
    {
        using var pool = new TieredMemoryPool<byte>(_bytes, reuseOwners: true);
        AssertAllocates(0, RentAndDispose(pool, depth));
    }

    [Fact]
    public void A_memory_with_a_new_owner_allocates_32_bytes()
    {
        using var pool = new TieredMemoryPool<byte>(_bytes);
        AssertAllocates(32, RentAndDispose(pool, 1));
    }

    [Fact]
    public void A_buffer_writer_allocates_only_itself_however_often_it_grows() => AssertAllocates(WriterBytes, () =>
    {
        using var writer = new PooledBufferWriter<byte>(16, _bytes);
        for (var i = 0; i < 100; i++)
        {
            writer.GetSpan(16)[..16].Clear();
            writer.Advance(16);
        }
    });

    [Fact]
    public void A_buffer_writer_that_is_reused()
    {
        using var writer = new PooledBufferWriter<byte>(16, _bytes);
        AssertAllocates(0, () =>
        {
            writer.GetSpan(1000)[..1000].Clear();
            writer.Advance(1000);
            writer.ResetWrittenCount();
        });
    }

    [Fact]
    public void Detaching_a_buffer_allocates_only_the_writer() => AssertAllocates(WriterBytes, () =>
    {
        var writer = new PooledBufferWriter<byte>(100, _bytes);
        writer.GetSpan(16)[..16].Clear();
        writer.Advance(16);
        using var buffer = writer.DetachBuffer();
        buffer.Span.Clear();
    });

    [Fact]
    public void A_surplus_array_allocates_only_at_its_next_creation()
    {
        using var pool = Pools.Make<byte>(budget: 0);
        AssertAllocates(24 + 128, RentAndReturn(pool, 1, 128));
    }

    private static Action RentAndReturn<T>(TieredArrayPool<T> pool, int depth, int length)
    {
        var arrays = new T[depth][];
        return () =>
        {
            for (var i = 0; i < arrays.Length; i++)
            {
                arrays[i] = pool.Rent(length);
            }

            foreach (var array in arrays)
            {
                pool.Return(array);
            }
        };
    }

    private static Action RentAndReturn<T>(ArrayPool<T> pool, int depth, int length)
    {
        var arrays = new T[depth][];
        return () =>
        {
            for (var i = 0; i < arrays.Length; i++)
            {
                arrays[i] = pool.Rent(length);
            }

            foreach (var array in arrays)
            {
                pool.Return(array);
            }
        };
    }

    private static Action RentAndDispose(TieredMemoryPool<byte> pool, int depth)
    {
        var owners = new IMemoryOwner<byte>[depth];
        return () =>
        {
            for (var i = 0; i < owners.Length; i++)
            {
                owners[i] = pool.Rent(100);
            }

            foreach (var owner in owners)
            {
                owner.Dispose();
            }
        };
    }

    /// <summary>The least of three: a collection caused by another test may add a few bytes.</summary>
    private static void AssertAllocates(long bytesPerCycle, Action cycle)
    {
        Measure(cycle, 100);
        var least = Enumerable.Range(0, 3).Min(_ => Measure(cycle, Cycles));

        // Where a cycle allocates, each collection blurs the sum by a few bytes.
        Assert.Equal(bytesPerCycle, bytesPerCycle == 0 ? least : least / Cycles);
    }

    private static long Measure(Action cycle, int cycles)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < cycles; i++)
        {
            cycle();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
