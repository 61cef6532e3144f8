using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Blocks;

/// <summary>Bytes that were never written are zero, whatever the blocks contained before.</summary>
public sealed class ZeroFill
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly StreamPool _pool;

    public ZeroFill()
    {
        _arrays.FillWithBytes();
        _pool = StreamPools.Make(_arrays);
    }

    public static TheoryData<int, int> Gaps
    {
        get
        {
            var gaps = new TheoryData<int, int>();
            foreach (var length in (int[])[0, 1, 15, 16, 17, 40, 64, 100, 500])
            {
                foreach (var gap in (int[])[1, 15, 16, 17, 64, 65, 1000])
                {
                    gaps.Add(length, gap);
                }
            }

            return gaps;
        }
    }

    [Theory]
    [MemberData(nameof(Gaps))]
    public void Extending_a_stream_fills_it_with_zeros(int length, int gap)
    {
        var content = StreamPools.Bytes(length);
        using var stream = _pool.RentWith(content);
        stream.SetLength(length + gap);

        Assert.Equal([.. content, .. new byte[gap]], stream.ToArray());
        Assert.Equal(length, stream.Position);
    }

    [Theory]
    [MemberData(nameof(Gaps))]
    public void A_gap_before_a_write_is_zero(int length, int gap)
    {
        var content = StreamPools.Bytes(length);
        using var stream = _pool.RentWith(content);
        stream.Seek(gap, SeekOrigin.End);
        stream.WriteByte(9);

        Assert.Equal([.. content, .. new byte[gap], 9], stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(Gaps))]
    public void A_gap_before_an_empty_write_is_zero(int length, int gap)
    {
        var content = StreamPools.Bytes(length);
        using var stream = _pool.RentWith(content);
        stream.Position = length + gap;
        stream.Write([]);

        Assert.Equal([.. content, .. new byte[gap]], stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(Gaps))]
    public void A_gap_before_a_span_offered_to_a_writer_is_zero(int length, int gap)
    {
        var content = StreamPools.Bytes(length);
        using var stream = _pool.RentWith(content);
        stream.Position = length + gap;
        stream.GetSpan(4)[0] = 9;
        stream.Advance(1);

        Assert.Equal([.. content, .. new byte[gap], 9], stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(Gaps))]
    public void Truncated_content_does_not_reappear(int length, int gap)
    {
        var content = StreamPools.Bytes(length + gap);
        using var stream = _pool.RentWith(content);
        stream.SetLength(length);
        Assert.Equal(length, stream.Position);
        stream.SetLength(length + (2 * gap));

        Assert.Equal([.. content[..length], .. new byte[2 * gap]], stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(Gaps))]
    public void Truncated_content_does_not_reappear_in_a_gap(int length, int gap)
    {
        var content = StreamPools.Bytes(length + gap);
        using var stream = _pool.RentWith(content);
        stream.SetLength(length);
        stream.Position = length + gap;
        stream.Write([1, 2, 3]);

        Assert.Equal([.. content[..length], .. new byte[gap], 1, 2, 3], stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(Gaps))]
    public void Bytes_a_buffer_writer_did_not_commit_do_not_reappear(int length, int gap)
    {
        var content = StreamPools.Bytes(length);
        using var stream = _pool.RentWith(content);
        stream.GetSpan(gap).Fill(0xDD);
        stream.Advance(gap / 2);
        stream.SetLength(length);
        stream.SetLength(length + gap);

        Assert.Equal([.. content, .. new byte[gap]], stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(Gaps))]
    public void The_buffer_shows_no_foreign_bytes_after_the_content(int length, int gap)
    {
        var content = StreamPools.Bytes(length);
        using var stream = _pool.RentWith(content);
        stream.Capacity = length + gap;
        var buffer = stream.GetBuffer();

        Assert.InRange(buffer.Length, length, int.MaxValue);
        Assert.Equal(content, buffer[..length]);
        Assert.Equal(-1, buffer.AsSpan(length).IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void A_full_stream_leaves_no_content_to_the_next()
    {
        for (var round = 0; round < 20; round++)
        {
            using (var first = _pool.RentWith(StreamPools.Bytes(10_000)))
            {
                Assert.Equal(10_000, first.Length);
            }

            using var second = _pool.Rent();
            Assert.Equal((0, 0), (second.Length, second.Position));
            second.SetLength(10_000);
            Assert.Equal(new byte[10_000], second.ToArray());
        }
    }
}
