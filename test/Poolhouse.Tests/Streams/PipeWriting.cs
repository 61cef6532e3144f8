using System.Buffers;
using System.IO.Pipelines;

namespace Poolhouse.Tests.Streams;

/// <summary>A stream written as a pipe.</summary>
public sealed class PipeWriting
{
    private readonly PooledStream _stream = StreamPools.Make().RentWith(StreamPools.Bytes(100));
    private readonly PipeWriter _writer;

    public PipeWriting() => _writer = _stream.AsPipeWriter();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Written_bytes_are_in_the_stream_at_its_position()
    {
        _stream.Position = 50;
        StreamPools.Bytes(10, 200).CopyTo(_writer.GetMemory(10));
        _writer.Advance(10);
        _writer.GetSpan(1)[0] = 9;
        _writer.Advance(1);
        await _writer.WriteAsync(StreamPools.Bytes(100, 30), Token);

        byte[] expected = [.. StreamPools.Bytes(50), .. StreamPools.Bytes(10, 200), 9, .. StreamPools.Bytes(100, 30)];
        Assert.Equal(expected, _stream.ToArray());
        Assert.Equal(161, _stream.Position);
    }

    [Fact]
    public async Task A_write_beyond_MaxLength_writes_nothing()
    {
        using var stream = StreamPools.Make(change: options => options.MaxLength = 100).Rent();
        var writer = stream.AsPipeWriter();

        await Assert.ThrowsAsync<IOException>(async () => await writer.WriteAsync(StreamPools.Bytes(150), Token));

        Assert.Equal((0, 0), (stream.Length, stream.Position));
        await writer.WriteAsync(StreamPools.Bytes(100), Token);
        await writer.WriteAsync(ReadOnlyMemory<byte>.Empty, Token);
        Assert.Equal(StreamPools.Bytes(100), stream.ToArray());
    }

    [Fact]
    public async Task The_content_of_the_stream_can_be_written_to_it()
    {
        var own = _stream.WrittenSequence.First;
        byte[] expected = [.. StreamPools.Bytes(8), .. own.Span, .. _stream.ToArray().AsSpan(8 + own.Length)];
        _stream.Position = 8;

        await _writer.WriteAsync(own, Token);

        Assert.Equal(expected, _stream.ToArray());
    }

    [Theory]
    [InlineData(100, true)]
    [InlineData(101, false)]
    public async Task A_source_as_long_as_MaxLength_can_be_copied(int length, bool fits)
    {
        using var stream = StreamPools.Make(change: options => options.MaxLength = 100).Rent();
        using var source = new MemoryStream(StreamPools.Bytes(length));

        var error = await Record.ExceptionAsync(() => source.CopyToAsync(stream.AsPipeWriter(), Token));

        Assert.Equal(fits ? null : typeof(IOException), error?.GetType());
        Assert.Equal(StreamPools.Bytes(100), stream.ToArray());
    }

    [Fact]
    public async Task A_flush_completes_at_once_and_leaves_nothing_unflushed()
    {
        _writer.GetSpan(20);
        _writer.Advance(20);
        Assert.True(_writer.CanGetUnflushedBytes);
        Assert.Equal(20, _writer.UnflushedBytes);
        var flush = _writer.FlushAsync(Token);
        Assert.True(flush.IsCompletedSuccessfully);
        var result = await flush;

        Assert.Equal((false, false), (result.IsCompleted, result.IsCanceled));
        Assert.Equal(0, _writer.UnflushedBytes);
    }

    [Fact]
    public async Task CancelPendingFlush_affects_only_the_next_flush()
    {
        _writer.CancelPendingFlush();

        Assert.True((await _writer.FlushAsync(Token)).IsCanceled);
        Assert.False((await _writer.FlushAsync(Token)).IsCanceled);
    }

    [Fact]
    public async Task A_cancelled_token_cancels_the_flush() => await Assert.ThrowsAnyAsync<OperationCanceledException>(
        async () => await _writer.FlushAsync(new CancellationToken(canceled: true)));

    [Fact]
    public async Task A_write_with_a_cancelled_token_writes_nothing()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await _writer.WriteAsync(StreamPools.Bytes(10), new CancellationToken(canceled: true)));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await _writer.AsStream().WriteAsync(StreamPools.Bytes(10), new CancellationToken(canceled: true)));

        Assert.Equal(StreamPools.Bytes(100), _stream.ToArray());
        Assert.Equal(0, _writer.UnflushedBytes);
    }

    [Fact]
    public async Task A_completed_writer_writes_no_more_and_the_stream_stays_usable()
    {
        await _writer.CompleteAsync();
        await _writer.CompleteAsync();

        Assert.Throws<InvalidOperationException>(() => _writer.GetMemory());
        Assert.Throws<InvalidOperationException>(() => _writer.GetSpan());
        Assert.Throws<InvalidOperationException>(() => _writer.Advance(0));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await _writer.FlushAsync(Token));
        Assert.Equal(StreamPools.Bytes(100), _stream.ToArray());
    }

    [Fact]
    public void Advancing_beyond_the_offered_memory_is_an_error()
    {
        var room = _writer.GetMemory(10).Length;

        Assert.Throws<InvalidOperationException>(() => _writer.Advance(room + 1));
        Assert.ThrowsAny<ArgumentException>(() => _writer.Advance(-1));
        Assert.Equal((100, 0), (_stream.Length, _writer.UnflushedBytes));
    }

    [Fact]
    public async Task Another_stream_can_be_copied_into_it()
    {
        using var source = new MemoryStream(StreamPools.Bytes(5000, 40));
        await source.CopyToAsync(_writer, Token);

        Assert.Equal([.. StreamPools.Bytes(100), .. StreamPools.Bytes(5000, 40)], _stream.ToArray());
    }

    [Fact]
    public async Task A_pipe_can_copy_from_one_stream_to_another()
    {
        await using var target = StreamPools.Make().Rent();
        _stream.Position = 0;
        await _stream.AsPipeReader().CopyToAsync(target.AsPipeWriter(), Token);

        Assert.Equal(StreamPools.Bytes(100), target.ToArray());
    }
}
