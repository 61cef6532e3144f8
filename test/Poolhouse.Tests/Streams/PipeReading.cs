using System.Buffers;
using System.IO.Pipelines;
using Poolhouse.Tests.Streams.Model;

namespace Poolhouse.Tests.Streams;

/// <summary>A stream read as a pipe.</summary>
public sealed class PipeReading
{
    private readonly PooledStream _stream = StreamPools.Make().RentWith(StreamPools.Bytes(100));
    private readonly PipeReader _reader;

    public PipeReading()
    {
        _stream.Position = 10;
        _reader = _stream.AsPipeReader();
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task All_content_after_the_position_is_available_at_once()
    {
        var read = _reader.ReadAsync(Token);
        Assert.True(read.IsCompletedSuccessfully);
        var result = await read;

        Assert.Equal(StreamPools.Bytes(100)[10..], result.Buffer.ToArray());
        Assert.Equal((true, false), (result.IsCompleted, result.IsCanceled));
        Assert.Equal(10, _stream.Position);
    }

    [Fact]
    public async Task Consuming_moves_the_position_and_examining_does_not()
    {
        var result = await _reader.ReadAsync(Token);
        _reader.AdvanceTo(result.Buffer.GetPosition(30), result.Buffer.End);
        Assert.Equal(40, _stream.Position);
        Assert.True(_reader.TryRead(out result));
        Assert.Equal(StreamPools.Bytes(100)[40..], result.Buffer.ToArray());
        _reader.AdvanceTo(result.Buffer.End);
        Assert.Equal(100, _stream.Position);
        result = await _reader.ReadAsync(Token);

        Assert.True(result.Buffer.IsEmpty);
        Assert.True(result.IsCompleted);
    }

    [Fact]
    public async Task Unconsumed_bytes_are_read_again()
    {
        var first = await _reader.ReadAsync(Token);
        _reader.AdvanceTo(first.Buffer.Start, first.Buffer.End);
        var second = await _reader.ReadAsync(Token);

        Assert.Equal(StreamPools.Bytes(100)[10..], second.Buffer.ToArray());
    }

    [Fact]
    public async Task Bytes_written_in_between_are_read_next()
    {
        var result = await _reader.ReadAsync(Token);
        _reader.AdvanceTo(result.Buffer.End);
        _stream.Write([7, 8, 9]);
        _stream.Position = 100;

        Assert.Equal([7, 8, 9], (await _reader.ReadAsync(Token)).Buffer.ToArray());
    }

    [Fact]
    public async Task Reading_past_the_end_returns_nothing()
    {
        _stream.Position = 500;
        var result = await _reader.ReadAsync(Token);
        Assert.True(result.Buffer.IsEmpty);
        _reader.AdvanceTo(result.Buffer.End);

        Assert.Equal(500, _stream.Position);
    }

    [Fact]
    public void A_TryRead_loop_ends_with_the_stream()
    {
        var rounds = 0;
        while (_reader.TryRead(out var result))
        {
            Assert.InRange(++rounds, 1, 3);
            _reader.AdvanceTo(result.Buffer.GetPosition(30));
        }

        Assert.Equal((3, 100), (rounds, _stream.Position));
        Assert.False(_reader.TryRead(out var last));
        Assert.Equal((true, true, false), (last.IsCompleted, last.Buffer.IsEmpty, last.IsCanceled));
        _reader.CancelPendingRead();
        Assert.True(_reader.TryRead(out last));
        Assert.True(last.IsCanceled);
    }

    [Fact]
    public async Task Consuming_more_than_examined_is_an_error()
    {
        var result = await _reader.ReadAsync(Token);
        var (near, far) = (result.Buffer.GetPosition(5), result.Buffer.GetPosition(30));

        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(far, near));
        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(near, result.Buffer.Start));
        Assert.Equal(10, _stream.Position);
        _reader.AdvanceTo(near, far);
        Assert.Equal(15, _stream.Position);
    }

    [Fact]
    public async Task An_advance_is_relative_to_the_start_of_the_read()
    {
        var result = await _reader.ReadAsync(Token);
        _stream.Position = 70;
        _reader.AdvanceTo(result.Buffer.GetPosition(5));

        Assert.Equal(15, _stream.Position);
    }

    [Fact]
    public void An_advance_without_a_read_is_an_error() =>
        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(default));

    [Fact]
    public async Task A_second_advance_after_one_read_is_an_error()
    {
        var result = await _reader.ReadAsync(Token);
        var place = result.Buffer.GetPosition(5);
        _reader.AdvanceTo(place);

        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(place));
        Assert.Equal(15, _stream.Position);
    }

    [Fact]
    public async Task CancelPendingRead_affects_only_the_next_read()
    {
        _reader.CancelPendingRead();
        var first = await _reader.ReadAsync(Token);
        Assert.True(first.IsCanceled);
        Assert.Equal(90, first.Buffer.Length);
        _reader.AdvanceTo(first.Buffer.Start);

        Assert.False((await _reader.ReadAsync(Token)).IsCanceled);
    }

    [Fact]
    public async Task A_cancelled_token_cancels_the_read()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await _reader.ReadAsync(new CancellationToken(canceled: true)));

        Assert.Equal(90, (await _reader.ReadAsync(Token)).Buffer.Length);
    }

    [Fact]
    public async Task A_completed_reader_reads_no_more_and_the_stream_stays_usable()
    {
        await _reader.CompleteAsync();
        await _reader.CompleteAsync();

        Assert.Throws<InvalidOperationException>(() => _reader.TryRead(out _));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await _reader.ReadAsync(Token));
        Assert.Throws<InvalidOperationException>(() => _reader.AdvanceTo(default));
        Assert.Equal(StreamPools.Bytes(100), _stream.ToArray());
    }

    [Fact]
    public async Task CancelPendingRead_cancels_a_copy_and_consumes_nothing()
    {
        using var target = new MemoryStream();
        _reader.CancelPendingRead();
        Assert.True(_reader.CopyToAsync(Stream.Null, Token).IsCanceled);
        _reader.CancelPendingRead();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _reader.CopyToAsync(target, Token));
        Assert.Equal((0, 10), (target.Length, _stream.Position));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => _reader.CopyToAsync(target, new CancellationToken(canceled: true)));
        await _reader.CopyToAsync(target, Token);

        Assert.Equal(StreamPools.Bytes(100)[10..], target.ToArray());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_failed_copy_consumes_only_what_was_written(bool toPipe)
    {
        // The first write covers the remainder of the first of two blocks; the second write fails.
        using var target = new FailingTarget(failingWrite: 2);
        await Assert.ThrowsAsync<TimeoutException>(() => CopyAsync(target, toPipe));

        Assert.Equal(StreamPools.MaxBlock, _stream.Position);
        Assert.Equal(StreamPools.Bytes(100)[10..StreamPools.MaxBlock], target.ToArray());
        Assert.True(_reader.TryRead(out var rest));
        Assert.Equal(StreamPools.Bytes(100)[StreamPools.MaxBlock..], rest.Buffer.ToArray());
        _reader.AdvanceTo(rest.Buffer.Start);
        await CopyAsync(target, toPipe);
        Assert.Equal(StreamPools.Bytes(100)[10..], target.ToArray());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_cancelled_copy_consumes_only_what_was_written(bool toPipe)
    {
        using var cancellation = new CancellationTokenSource();
        using var target = new FailingTarget(failingWrite: 2, cancellation);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => CopyAsync(target, toPipe, cancellation.Token));

        Assert.Equal(StreamPools.MaxBlock, _stream.Position);
        await CopyAsync(target, toPipe);
        Assert.Equal(StreamPools.Bytes(100)[10..], target.ToArray());
    }

    [Fact]
    public async Task A_copy_ends_when_the_reader_of_the_destination_has_completed()
    {
        var pipe = new Pipe();
        await pipe.Reader.CompleteAsync();
        await _reader.CopyToAsync(pipe.Writer, Token);

        Assert.Equal(StreamPools.MaxBlock, _stream.Position);
    }

    [Fact]
    public async Task A_minimum_number_of_bytes_can_be_requested()
    {
        var enough = await _reader.ReadAtLeastAsync(90, Token);
        Assert.Equal(90, enough.Buffer.Length);
        _reader.AdvanceTo(enough.Buffer.Start);
        var less = await _reader.ReadAtLeastAsync(91, Token);

        Assert.Equal(90, less.Buffer.Length);
        Assert.True(less.IsCompleted);
    }

    [Fact]
    public async Task It_can_be_copied_and_read_as_a_stream()
    {
        using var target = new MemoryStream();
        await _reader.CopyToAsync(target, Token);
        Assert.Equal(StreamPools.Bytes(100)[10..], target.ToArray());
        Assert.Equal(100, _stream.Position);
        _stream.Position = 90;
        await using var again = _stream.AsPipeReader().AsStream();
        var rest = new byte[10];
        await again.ReadExactlyAsync(rest, Token);

        Assert.Equal(StreamPools.Bytes(100)[90..], rest);
    }

    private Task CopyAsync(Stream target, bool toPipe, CancellationToken? token = null) => toPipe
        ? _reader.CopyToAsync(PipeWriter.Create(target), token ?? Token)
        : _reader.CopyToAsync(target, token ?? Token);

    /// <summary>A destination on which one write fails, or is cancelled.</summary>
    private sealed class FailingTarget(int failingWrite, CancellationTokenSource? cancellation = null) : TargetStream
    {
        private int _writes;

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Yield();
            if (++_writes == failingWrite)
            {
                cancellation?.Cancel();
                cancellationToken.ThrowIfCancellationRequested();
                throw new TimeoutException();
            }

            Write(buffer.Span);
        }
    }
}
