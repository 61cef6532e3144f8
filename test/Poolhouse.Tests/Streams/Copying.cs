using Poolhouse.Tests.Buffers;
using Poolhouse.Tests.Streams.Model;

namespace Poolhouse.Tests.Streams;

/// <summary>Copies to other streams.</summary>
public sealed class Copying
{
    private const int Length = 1000;

    private readonly StreamPool _pool = StreamPools.Make();
    private readonly byte[] _content = StreamPools.Bytes(Length);
    private readonly PooledStream _stream;

    public Copying() => _stream = _pool.RentWith(_content);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(999)]
    [InlineData(Length)]
    [InlineData(Length + 5)]
    public async Task A_copy_starts_at_the_position_and_moves_it_to_the_end(int position)
    {
        foreach (var copy in Ways())
        {
            _stream.Position = position;
            using var destination = new SlowTarget();
            await copy(_stream, destination);

            Assert.Equal(_content[Math.Min(position, Length)..], destination.ToArray());
            Assert.Equal(Math.Max(position, Length), _stream.Position);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(500)]
    [InlineData(Length + 5)]
    public void WriteTo_writes_the_whole_content_and_keeps_the_position(int position)
    {
        _stream.Position = position;
        using var destination = new MemoryStream();
        _stream.WriteTo(destination);

        Assert.Equal(_content, destination.ToArray());
        Assert.Equal(position, _stream.Position);
    }

    [Fact]
    public async Task A_copy_to_another_pooled_stream_has_its_own_content()
    {
        foreach (var copy in Ways())
        {
            _stream.Position = 0;
            await using var destination = _pool.Rent();
            await copy(_stream, destination);
            _stream.Position = 0;
            await _stream.WriteAsync(new byte[Length], TestContext.Current.CancellationToken);

            Assert.Equal(_content, destination.ToArray());
            _stream.Position = 0;
            await _stream.WriteAsync(_content, TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public async Task A_copy_from_another_stream_is_complete()
    {
        using var source = new SlowSource(_content);
        await using var destination = _pool.Rent();
        await source.CopyToAsync(destination, 33, TestContext.Current.CancellationToken);
        source.Position = 0;
        source.CopyTo(destination, 17);

        Assert.Equal([.. _content, .. _content], destination.ToArray());
    }

    [Fact]
    public async Task Exceptions_of_the_destination_reach_the_caller()
    {
        using var destination = new RefusingStream();
        foreach (var copy in Ways())
        {
            _stream.Position = 0;

            await Assert.ThrowsAsync<TimeoutException>(() => copy(_stream, destination));
        }

        Assert.Throws<TimeoutException>(() => _stream.WriteTo(destination));
    }

    [Fact]
    public async Task A_read_only_destination_is_rejected_before_anything_is_copied()
    {
        _stream.Position = 5;
        using var readOnly = new MemoryStream([], writable: false);
        await using var closed = _pool.Rent();
        await closed.DisposeAsync();
        foreach (var copy in Ways())
        {
            await Assert.ThrowsAsync<NotSupportedException>(() => copy(_stream, readOnly));
            await Assert.ThrowsAsync<ObjectDisposedException>(() => copy(_stream, closed));
            Assert.Equal(5, _stream.Position);
        }
    }

    [Fact]
    public async Task A_copy_cancelled_in_progress_ends_as_cancelled()
    {
        using var cancellation = new CancellationTokenSource();
        using var destination = new SlowTarget { Writing = cancellation.Cancel };
        _stream.Position = 0;

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _stream.CopyToAsync(destination, cancellation.Token));
        Assert.InRange(destination.Length, 1, Length - 1);
        Assert.Equal(_content[..(int)destination.Length], destination.ToArray());
    }

    [Fact]
    public void A_stream_copied_to_itself_has_its_content_twice()
    {
        _stream.Position = 0;
        _stream.CopyTo(_stream);

        Assert.Equal([.. _content, .. _content], _stream.ToArray());
        Assert.Equal(2 * Length, _stream.Position);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(990)]
    [InlineData(Length)]
    [InlineData(Length + 3)]
    public void A_stream_written_to_itself_appends_its_original_content(int position)
    {
        _stream.Position = position;
        _stream.WriteTo(_stream);

        byte[] expected = [.. _content[..Math.Min(position, Length)], .. new byte[Math.Max(0, position - Length)], .. _content];
        Assert.Equal(expected, _stream.ToArray());
        Assert.Equal(position + Length, _stream.Position);
    }

    [Fact]
    public void A_stream_can_be_written_to_itself_after_the_disposal_of_its_pool()
    {
        _pool.Dispose();
        _stream.WriteTo(_stream);

        Assert.Equal([.. _content, .. _content], _stream.ToArray());
        _stream.Dispose();
        Assert.Equal(0, _pool.Arrays.AssertBalanced().Leased);
    }

    private static IEnumerable<Func<Stream, Stream, Task>> Ways()
    {
        yield return (from, to) =>
        {
            // An error of the call becomes one of the task, so that all ways can be checked in the same way.
            from.CopyTo(to, 100);
            return Task.CompletedTask;
        };
        yield return async (from, to) => await from.CopyToAsync(to, 100, TestContext.Current.CancellationToken);
        yield return async (from, to) => await from.CopyToAsync(to, TestContext.Current.CancellationToken);
    }

    /// <summary>A destination whose writes end later, on another thread.</summary>
    private sealed class SlowTarget : TargetStream
    {
        public Action Writing { get; init; } = () => { };

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Yield();
            Write(buffer.Span);
            Writing();
        }
    }

    /// <summary>A source that returns a few bytes per read.</summary>
    private sealed class SlowSource(byte[] content) : MemoryStream(content)
    {
        public override int Read(byte[] buffer, int offset, int count) => base.Read(buffer, offset, Math.Min(count, 7));

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Yield();
            return Read(buffer.Span);
        }
    }
}
