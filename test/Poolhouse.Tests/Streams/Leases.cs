using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>Streams under a lease, whose object is reused.</summary>
public sealed class Leases
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly StreamPool _pool;

    public Leases() => _pool = StreamPools.Make(_arrays);

    [Fact]
    public void No_copy_of_an_ended_lease_returns_the_stream()
    {
        var lease = _pool.RentLease();
        var copy = lease;
        Assert.True(copy.IsActive);
        copy.Dispose();

        Assert.False(lease.IsActive);
        Assert.Throws<ObjectDisposedException>(() => lease.Stream);
        Assert.Throws<ObjectDisposedException>(() => copy.Stream);
        Assert.Equal(lease, copy);
    }

    [Fact]
    public void The_default_lease_has_ended()
    {
        var lease = default(StreamLease);
        lease.Dispose();
        lease.Discard();

        Assert.False(lease.IsActive);
        Assert.Throws<ObjectDisposedException>(() => lease.Stream);
    }

    [Fact]
    public void A_second_end_is_harmless_and_counted_also_during_the_next_lease()
    {
        var first = _pool.RentLease();
        first.Stream.WriteByte(1);
        first.Dispose();
        var second = _pool.RentLease();
        second.Stream.WriteByte(2);
        first.Dispose();
        first.Discard();

        Assert.True(second.IsActive);
        Assert.NotEqual(first, second);
        Assert.Equal([2], second.Stream.ToArray());
        Assert.Equal(2, _pool.GetStatistics().DoubleReturns);
        Assert.Throws<ObjectDisposedException>(() => first.Stream);
        second.Dispose();
        Assert.Equal(0, _arrays.AssertBalanced().Leased);
    }

    [Fact]
    public void The_next_lease_starts_empty_at_position_zero()
    {
        var first = _pool.RentLease("first", 1000);
        first.Stream.Write(StreamPools.Bytes(500));
        first.Stream.Position = 100;
        first.Dispose();
        using var second = _pool.RentLease();

        Assert.Equal((0, 0), (second.Stream.Length, second.Stream.Position));
        Assert.Null(second.Stream.Tag);
        Assert.True(second.Stream.WrittenSequence.IsEmpty);
        Assert.Equal([], second.Stream.ToArray());
    }

    [Fact]
    public void A_stream_used_after_its_lease_throws()
    {
        var lease = _pool.RentLease();
        var kept = lease.Stream;
        lease.Dispose();

        Assert.Throws<ObjectDisposedException>(() => kept.WriteByte(1));
        Assert.Throws<ObjectDisposedException>(() => kept.Length);
        Assert.False(kept.CanRead);
        kept.Dispose();
        Assert.Equal(0, _arrays.AssertBalanced().Leased);
    }

    [Fact]
    public void The_stream_may_be_disposed_by_a_callee_and_the_lease_still_ends_once()
    {
        var lease = _pool.RentLease();
        using (var writer = new StreamWriter(lease.Stream))
        {
            writer.Write("a text that is longer than the first block of the stream");
        }

        Assert.True(lease.IsActive);
        Assert.Throws<ObjectDisposedException>(() => lease.Stream.WriteByte(1));
        var other = _pool.RentLease();
        other.Stream.Write(StreamPools.Bytes(100));
        lease.Dispose();

        Assert.Equal(StreamPools.Bytes(100), other.Stream.ToArray());
        Assert.Equal(1, _pool.GetStatistics().Leased);
        other.Dispose();
        Assert.Equal((0, 0), (_arrays.AssertBalanced().Leased, _pool.AssertBalanced().DoubleReturns));
    }

    [Fact]
    public void A_disposed_stream_stays_closed_until_its_lease_ends()
    {
        var first = _pool.RentLease();
        var kept = first.Stream;
        kept.Dispose();
        using var second = _pool.RentLease();

        Assert.NotSame(kept, second.Stream);
        Assert.Throws<ObjectDisposedException>(() => kept.WriteByte(1));
    }

    [Fact]
    public void A_discarded_lease_discards_its_stream_and_blocks()
    {
        var lease = _pool.RentLease();
        var stream = lease.Stream;
        stream.Write(StreamPools.Bytes(100));
        lease.Discard();

        Assert.Throws<ObjectDisposedException>(() => stream.Length);
        Assert.Throws<ObjectDisposedException>(() => lease.Stream);
        Assert.Equal((0, 1), (_pool.AssertBalanced().Retained, _pool.GetStatistics().Discarded));
        var statistics = _arrays.AssertBalanced();
        Assert.Equal((0, 0, statistics.Rented), (statistics.Retained, statistics.Leased, statistics.Discarded));
        using var next = _pool.RentLease();
        Assert.NotSame(stream, next.Stream);
    }

    [Fact]
    public void A_view_of_a_leased_stream_ends_with_the_lease()
    {
        var first = _pool.RentLease();
        first.Stream.Write(StreamPools.Bytes(100));
        var view = first.Stream.AsReadOnly();
        Assert.Equal(1, view.ReadByte());
        first.Dispose();
        Assert.Throws<ObjectDisposedException>(() => view.ReadByte());
        using var second = _pool.RentLease();
        second.Stream.Write(StreamPools.Bytes(100, 50));

        Assert.Throws<ObjectDisposedException>(() => view.ReadByte());
        Assert.Throws<ObjectDisposedException>(() => view.CopyTo(Stream.Null));
    }

    [Fact]
    public async Task A_pipe_over_a_leased_stream_ends_with_the_lease()
    {
        var first = _pool.RentLease();
        var (reader, writer) = (first.Stream.AsPipeReader(), first.Stream.AsPipeWriter());
        await writer.WriteAsync(StreamPools.Bytes(100), TestContext.Current.CancellationToken);
        first.Stream.Position = 0;
        Assert.True(reader.TryRead(out var read) && read.Buffer.Length == 100);
        first.Dispose();
        using var second = _pool.RentLease();
        second.Stream.Write(StreamPools.Bytes(100, 50));
        second.Stream.Position = 10;

        Assert.Throws<ObjectDisposedException>(() => reader.TryRead(out _));
        Assert.Throws<ObjectDisposedException>(() => reader.AdvanceTo(default));
        Assert.Throws<ObjectDisposedException>(() => writer.GetMemory());
        Assert.Throws<ObjectDisposedException>(() => writer.Advance(0));
        Assert.Equal(10, second.Stream.Position);
        Assert.Equal(StreamPools.Bytes(100, 50), second.Stream.ToArray());
    }

    [Fact]
    public void A_lease_outlives_its_pool()
    {
        var lease = _pool.RentLease();
        lease.Stream.Write(StreamPools.Bytes(100));
        _pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => _pool.RentLease());
        Assert.Equal(StreamPools.Bytes(100), lease.Stream.ToArray());
        lease.Dispose();
        Assert.Equal(0, _arrays.AssertBalanced().Leased);
        Assert.Equal(0, _pool.AssertBalanced().Retained);
    }

    // Stream allows one begun operation at a time: the next one waits until it was ended.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_operation_that_was_begun_and_not_ended_does_not_block_the_next_lease(bool writes)
    {
        var first = _pool.RentLease();
        var stream = first.Stream;
        var begun = writes
            ? stream.BeginWrite([1], 0, 1, callback: null, state: null)
            : stream.BeginRead(new byte[1], 0, 1, callback: null, state: null);
        Assert.True(begun.AsyncWaitHandle.WaitOne(Background.Limit));
        first.Dispose();
        using var second = _pool.RentLease();
        Assert.Equal(1, _pool.GetStatistics().Hits);
        Assert.NotSame(stream, second.Stream);
        var next = second.Stream;

        Assert.True(Background.CanDo(() => next.EndWrite(next.BeginWrite([7], 0, 1, callback: null, state: null))));
        Assert.Equal([7], next.ToArray());
    }

    [Fact]
    public void The_stream_of_a_lease_is_reused_if_only_other_streams_began_operations()
    {
        var first = _pool.RentLease();
        var stream = first.Stream;
        first.Dispose();
        using (var other = _pool.Rent())
        {
            other.EndWrite(other.BeginWrite([1], 0, 1, callback: null, state: null));
        }

        using var second = _pool.RentLease();
        Assert.Same(stream, second.Stream);
    }
}
