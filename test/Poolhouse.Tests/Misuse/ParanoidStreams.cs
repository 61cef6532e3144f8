using System.Runtime.InteropServices;
using Poolhouse.Streams.Blocks;

namespace Poolhouse.Tests.Misuse;

/// <summary>A stream pool in paranoid mode finds writes into memory that a stream had offered before it was disposed.</summary>
public sealed class ParanoidStreams
{
    [Fact]
    public void A_write_into_the_first_block_after_the_stream_was_disposed_is_found()
    {
        using var pool = NewPool(ParanoidMode.Report);
        Memory<byte> offered;
        using (var stream = pool.Rent("frames"))
        {
            offered = stream.GetMemory(10);
            stream.Advance(10);
        }

        offered.Span[3] = 3;
        UseMany(pool, 10);

        Assert.Equal((1, 0), (pool.GetStatistics().WritesAfterReturn, pool.Arrays.GetStatistics().WritesAfterReturn));
    }

    [Fact]
    public void A_write_into_a_later_block_after_the_stream_was_disposed_is_found()
    {
        using var pool = NewPool(ParanoidMode.Report);
        Memory<byte> offered;
        using (var stream = pool.Rent())
        {
            stream.Write(new byte[2000]);
            offered = stream.GetMemory(10);
        }

        offered.Span[3] = 3;
        UseMany(pool, 2000);

        Assert.Equal((0, 1), (pool.GetStatistics().WritesAfterReturn, pool.Arrays.GetStatistics().WritesAfterReturn));
    }

    [Theory]
    [InlineData(ClearPolicy.Never)]
    [InlineData(ClearPolicy.Sensitive)]
    public void Correct_use_is_not_reported(ClearPolicy clear)
    {
        using var arrays = new TieredArrayPool<byte>(new ArrayPoolOptions { Paranoid = ParanoidMode.Throw, Clear = clear });
        using var pool = new StreamPool(new StreamPoolOptions { Paranoid = ParanoidMode.Throw, Arrays = arrays });
        var content = Enumerable.Range(0, 5000).Select(index => (byte)index).ToArray();
        for (var round = 0; round < 150; round++)
        {
            using var stream = pool.Rent();
            stream.Write(content, 0, round * 30);
            stream.SetLength(stream.Length + 100);
            Assert.Equal([.. content.Take(round * 30), .. new byte[100]], stream.ToArray());
            using var other = pool.Rent();
            other.Write(content);
            stream.DetachBuffer().Dispose();
        }

        Assert.Equal((0, 0), (pool.GetStatistics().Leased, arrays.GetStatistics().Leased));
    }

    [Fact]
    public void Its_own_array_pool_is_emptied_when_it_is_disposed_and_still_serves_rented_streams()
    {
        var pool = NewPool(ParanoidMode.Report);
        using var stream = pool.Rent();
        UseMany(pool, 2000);
        Assert.InRange(pool.Arrays.GetStatistics().Retained, 1, int.MaxValue);
        pool.Dispose();
        Assert.Equal(0, pool.Arrays.GetStatistics().Retained);
        stream.Write(new byte[100_000]);
        Assert.Equal(100_000, stream.Length);
        stream.Dispose();

        Assert.Equal(0, pool.Arrays.GetStatistics().Leased);
    }

    [Theory]
    [InlineData("disposal")]
    [InlineData("disposal while a copy is in progress")]
    [InlineData("disposal of the detached buffer")]
    public void A_block_that_was_returned_by_mistake_does_not_keep_the_others(string end)
    {
        using var arrays = new TieredArrayPool<byte>(
            new ArrayPoolOptions { Paranoid = ParanoidMode.Throw, Clear = ClearPolicy.Sensitive });
        using var pool = new StreamPool(
            new StreamPoolOptions { Paranoid = ParanoidMode.Throw, Arrays = arrays, FirstBlockSize = 16, MaxBlockSize = 64 });
        var stream = pool.Rent();
        stream.Write(Enumerable.Repeat((byte)1, 100).ToArray());

        // Held until the stream ends, because its memory was exposed; GetBuffer replaces it.
        Assert.True(MemoryMarshal.TryGetArray(stream.WrittenSequence.First, out var held));
        arrays.Return(stream.GetBuffer());
        Assert.Contains((byte)1, held);
        var blocks = stream.Body.Blocks;
        BlockChain.Borrowing? copy = null;

        Assert.Throws<PoolMisuseException>(() =>
        {
            switch (end)
            {
                case "disposal while a copy is in progress":
                    copy = blocks.Borrow();
                    stream.Dispose();
                    break;
                case "disposal of the detached buffer":
                    stream.DetachBuffer().Dispose();
                    break;
                default:
                    stream.Dispose();
                    break;
            }
        });

        copy?.Dispose();

        Assert.DoesNotContain((byte)1, held);
        Assert.Equal((0, 0), (pool.GetStatistics().Leased, arrays.GetStatistics().Leased));
        Assert.Empty(pool.GetLeases(10).Concat(arrays.GetLeases(10)));
    }

    private static StreamPool NewPool(ParanoidMode mode) => new(new StreamPoolOptions { Paranoid = mode });

    private static void UseMany(StreamPool pool, int length)
    {
        for (var i = 0; i < 150; i++)
        {
            using var stream = pool.Rent();
            stream.Write(new byte[length]);
        }
    }
}
