using System.IO.Pipelines;
using System.Runtime.InteropServices;
using Poolhouse.Tests.Buffers;
using Poolhouse.Tests.Streams.Model;

namespace Poolhouse.Tests.Streams.Blocks;

/// <summary>A stream is disposed while a destination still reads one of its blocks: no other user may get that block.</summary>
public sealed class CopiesInProgress
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly StreamPool _pool;
    private readonly byte[] _content = StreamPools.Bytes(200);

    public CopiesInProgress() => _pool = StreamPools.Make(_arrays);

    public enum Ending
    {
        Disposal,
        Detachment,
    }

    public static TheoryData<Ending> Endings => [.. Enum.GetValues<Ending>()];

    /// <summary>
    /// With content that fits into the first block, which a stream keeps for the next user, or that takes several.
    /// </summary>
    public static MatrixTheoryData<Ending, int> EndingsAndLengths =>
        new(Enum.GetValues<Ending>(), [StreamPools.FirstBlock / 2, 200]);

    [Theory]
    [MemberData(nameof(EndingsAndLengths))]
    public async Task The_destination_keeps_reading_the_original_content(Ending ending, int length)
    {
        var content = _content[..length];
        using var destination = new StandingStream();
        var stream = _pool.Rent();
        await stream.WriteAsync(content, TestContext.Current.CancellationToken);
        stream.Position = 0;
        var copy = stream.CopyToAsync(destination, TestContext.Current.CancellationToken);
        Assert.False(copy.IsCompleted);
        await EndAsync(ending, stream);

        AssertNotRented(destination.Reading);
        UseTheNextStreams();
        Assert.Equal(content[..destination.Reading.Count], destination.Reading.ToArray());
        using (var next = _pool.Rent())
        {
            next.Write(StreamPools.Bytes(300, 99));
            destination.Continue();
            await AssertEndsAsync(copy);
        }

        Assert.Equal(content[..destination.ToArray().Length], destination.ToArray());
        UseTheNextStreams();
        AssertNotRented(destination.Reading);
        Assert.Equal(0, _arrays.AssertBalanced().Leased);
    }

    [Fact]
    public async Task A_copy_of_a_view_is_equally_safe()
    {
        using var destination = new StandingStream();
        var stream = _pool.RentWith(_content);
        await using var view = stream.AsReadOnly();
        var copy = view.CopyToAsync(destination, TestContext.Current.CancellationToken);
        Assert.False(copy.IsCompleted);
        await stream.DisposeAsync();

        AssertNotRented(destination.Reading);
        UseTheNextStreams();
        Assert.Equal(_content[..destination.Reading.Count], destination.Reading.ToArray());
        destination.Continue();
        await AssertEndsAsync(copy);
    }

    [Theory]
    [MemberData(nameof(EndingsAndLengths))]
    public async Task A_copy_from_a_pipe_to_a_stream_is_equally_safe(Ending ending, int length)
    {
        using var destination = new StandingStream();
        await AssertCopyFromPipeIsSafeAsync(ending, length, destination, reader => reader.CopyToAsync(destination));
    }

    [Theory]
    [MemberData(nameof(EndingsAndLengths))]
    public async Task A_copy_from_a_pipe_to_a_pipe_is_equally_safe(Ending ending, int length)
    {
        using var destination = new StandingStream();
        await AssertCopyFromPipeIsSafeAsync(
            ending, length, destination, reader => reader.CopyToAsync(PipeWriter.Create(destination)));
    }

    [Theory]
    [MemberData(nameof(EndingsAndLengths))]
    public async Task A_source_copied_into_a_pipe_writes_only_to_the_memory_of_that_stream(Ending ending, int length)
    {
        await using var source = new StandingSource();
        var stream = _pool.Rent();
        await stream.WriteAsync(_content.AsMemory(0, length), TestContext.Current.CancellationToken);
        var copy = source.CopyToAsync(stream.AsPipeWriter(), TestContext.Current.CancellationToken);
        Assert.False(copy.IsCompleted);
        await EndAsync(ending, stream);

        AssertNotRented(source.Writing);
        using var next = _pool.RentWith(_content[..StreamPools.FirstBlock]);
        source.Continue();
        await AssertEndsAsync(copy);
        Assert.Equal(_content[..StreamPools.FirstBlock], next.ToArray());
        AssertNotRented(source.Writing);
    }

    [Fact]
    public async Task A_source_copied_into_a_sensitive_pipe_leaves_nothing_in_its_memory()
    {
        using var arrays = Pools.Make<byte>(ClearPolicy.Sensitive);
        using var pool = StreamPools.Make(arrays);
        await using var source = new StandingSource();
        var stream = pool.RentWith(_content);
        var copy = source.CopyToAsync(stream.AsPipeWriter(), TestContext.Current.CancellationToken);
        await stream.DisposeAsync();
        source.Continue();
        await AssertEndsAsync(copy);

        Assert.Equal(-1, source.Writing.AsSpan().IndexOfAnyExcept((byte)0));
        Assert.Equal(0, arrays.AssertBalanced().Leased);
    }

    [Fact]
    public async Task Completed_and_failed_copies_of_pipes_hold_no_blocks()
    {
        var token = TestContext.Current.CancellationToken;
        await using (var stream = _pool.RentWith(_content))
        {
            await using var failing = new RefusingStream();
            await using var failingSource = new StandingSource();
            var (reader, writer) = (stream.AsPipeReader(), stream.AsPipeWriter());
            await new MemoryStream(_content).CopyToAsync(writer, token);
            stream.Position = 0;
            await reader.CopyToAsync(PipeWriter.Create(Stream.Null), token);
            stream.Position = 0;
            await reader.CopyToAsync(Stream.Null, token);
            stream.Position = 0;
            await Assert.ThrowsAsync<TimeoutException>(() => reader.CopyToAsync(failing, token));
            stream.Position = 0;
            await Assert.ThrowsAsync<TimeoutException>(() => reader.CopyToAsync(PipeWriter.Create(failing), token));
            var failed = failingSource.CopyToAsync(writer, token);
            failingSource.Fail(new TimeoutException());
            await Assert.ThrowsAsync<TimeoutException>(() => failed);
        }

        Assert.Equal(0, _arrays.AssertBalanced().Leased);
        Assert.Equal(1, _pool.AssertBalanced().Retained);
    }

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task A_sensitive_block_in_use_by_copies_is_cleared_by_the_last_of_them(Ending ending)
    {
        using var arrays = Pools.Make<byte>(ClearPolicy.Sensitive);
        using var pool = StreamPools.Make(arrays);
        using var first = new StandingStream();
        using var second = new StandingStream();
        var stream = pool.Rent();
        await stream.WriteAsync(_content, TestContext.Current.CancellationToken);
        stream.GetSpan(100).Fill(7);
        stream.Position = 10;
        stream.GetSpan(100).Fill(7);
        stream.Position = 0;
        var blocks = new List<ArraySegment<byte>>();
        foreach (var piece in stream.WrittenSequence)
        {
            Assert.True(MemoryMarshal.TryGetArray(piece, out var block));
            blocks.Add(block);
        }

        var firstCopy = stream.CopyToAsync(first, TestContext.Current.CancellationToken);
        stream.Position = 0;
        var secondCopy = stream.CopyToAsync(second, TestContext.Current.CancellationToken);
        await EndAsync(ending, stream);
        Assert.Equal(_content[..second.Reading.Count], second.Reading.ToArray());
        first.Continue();
        await AssertEndsAsync(firstCopy);
        Assert.Equal(_content[..second.Reading.Count], second.Reading.ToArray());
        second.Continue();
        await AssertEndsAsync(secondCopy);

        Assert.All(blocks, block => Assert.Equal(-1, block.Array.AsSpan().IndexOfAnyExcept((byte)0)));
        Assert.Equal(0, arrays.AssertBalanced().Leased);
    }

    [Fact]
    public async Task A_completed_copy_holds_no_blocks()
    {
        using var destination = new StandingStream();
        await using (var stream = _pool.RentWith(_content))
        {
            stream.Position = 0;
            var copy = stream.CopyToAsync(destination, TestContext.Current.CancellationToken);
            destination.Continue();
            await copy;
        }

        Assert.Equal(_content, destination.ToArray());
        Assert.Equal(0, _arrays.AssertBalanced().Leased);
        Assert.Equal(1, _pool.AssertBalanced().Retained);
    }

    [Fact]
    public async Task A_failed_copy_holds_no_blocks()
    {
        using var destination = new StandingStream();
        await using (var stream = _pool.RentWith(_content))
        {
            stream.Position = 0;
            var copy = stream.CopyToAsync(destination, TestContext.Current.CancellationToken);
            destination.Fail(new TimeoutException());
            await Assert.ThrowsAsync<TimeoutException>(() => copy);
        }

        Assert.Equal(0, _arrays.AssertBalanced().Leased);
    }

    [Fact]
    public void A_destination_may_dispose_the_stream_that_writes_to_it()
    {
        var stream = _pool.RentWith(_content);
        stream.Position = 0;
        using var destination = new CallingStream(stream.Dispose);

        Assert.Throws<ObjectDisposedException>(() => stream.CopyTo(destination));
        AssertNotRented(destination.Seen);
    }

    private async Task AssertCopyFromPipeIsSafeAsync(
        Ending ending, int length, StandingStream destination, Func<PipeReader, Task> begin)
    {
        var content = _content[..length];
        var stream = _pool.Rent();
        await stream.WriteAsync(content, TestContext.Current.CancellationToken);
        stream.Position = 0;
        var copy = begin(stream.AsPipeReader());
        Assert.False(copy.IsCompleted);
        await EndAsync(ending, stream);

        AssertNotRented(destination.Reading);
        UseTheNextStreams();
        Assert.Equal(content[..destination.Reading.Count], destination.Reading.ToArray());
        destination.Continue();
        await AssertEndsAsync(copy);
        Assert.Equal(content[..destination.ToArray().Length], destination.ToArray());
        UseTheNextStreams();
        AssertNotRented(destination.Reading);
        Assert.Equal(0, _arrays.AssertBalanced().Leased);
    }

    private static async Task EndAsync(Ending ending, PooledStream stream)
    {
        if (ending == Ending.Disposal)
        {
            await stream.DisposeAsync();
        }
        else
        {
            stream.DetachBuffer().Dispose();
        }
    }

    /// <summary>It completes, or fails because the stream was disposed; it never copies other bytes.</summary>
    private static async Task AssertEndsAsync(Task copy)
    {
        var error = await Record.ExceptionAsync(() => copy.WaitAsync(Background.Limit));
        Assert.True(error is null or ObjectDisposedException, $"The copy ended with {error}.");
    }

    private void AssertNotRented(ArraySegment<byte> reading)
    {
        var all = Enumerable.Range(4, 6).SelectMany(power => _arrays.RentMany(50, 1 << power)).ToList();
        Assert.DoesNotContain(all, array => ReferenceEquals(array, reading.Array));
        _arrays.ReturnAll(all);
    }

    private void UseTheNextStreams()
    {
        for (var round = 0; round < 20; round++)
        {
            // Short ones too, which write into the first block that a stream keeps.
            using var brief = _pool.RentWith(StreamPools.Bytes(StreamPools.FirstBlock, 99));
            using var next = _pool.RentWith(StreamPools.Bytes(300, 99));
            Assert.Equal(((long)StreamPools.FirstBlock, 300L), (brief.Length, next.Length));
        }
    }

    /// <summary>A destination whose writes complete when the test lets them.</summary>
    private sealed class StandingStream : TargetStream
    {
        private readonly TaskCompletionSource _go = new(TaskCreationOptions.RunContinuationsAsynchronously);

        /// <summary>What the first write reads.</summary>
        public ArraySegment<byte> Reading { get; private set; }

        public void Continue() => _go.SetResult();

        public void Fail(Exception failure) => _go.SetException(failure);

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (Reading.Array is null)
            {
                Assert.True(MemoryMarshal.TryGetArray(buffer, out var reading));
                Reading = reading;
            }

            await _go.Task;
            Write(buffer.Span);
        }
    }

    /// <summary>A source whose only read completes when the test lets it, and fills the memory that it was given.</summary>
    private sealed class StandingSource : MemoryStream
    {
        private readonly TaskCompletionSource _go = new(TaskCreationOptions.RunContinuationsAsynchronously);

        /// <summary>The memory that the read writes to.</summary>
        public ArraySegment<byte> Writing { get; private set; }

        public void Continue() => _go.SetResult();

        public void Fail(Exception failure) => _go.SetException(failure);

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Assert.True(MemoryMarshal.TryGetArray<byte>(buffer, out var writing));
            Writing = writing;
            await _go.Task;
            buffer.Span.Fill(0xEE);
            return buffer.Length;
        }
    }

    /// <summary>A destination that runs something in the middle of a write.</summary>
    private sealed class CallingStream(Action call) : MemoryStream
    {
        public ArraySegment<byte> Seen { get; private set; }

        public override void Write(byte[] buffer, int offset, int count)
        {
            Seen = new ArraySegment<byte>(buffer, offset, count);
            base.Write(buffer, offset, count);
            call();
        }
    }
}
