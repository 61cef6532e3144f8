
namespace Poolhouse.Tests.Streams;

/// <summary>Calls that do nothing, because a stream in memory has no underlying device.</summary>
public sealed class NoOperations
{
    private readonly PooledStream _stream = StreamPools.Make().RentWith(StreamPools.Bytes(100));

    [Fact]
    public async Task A_flush_does_nothing_and_completes_at_once()
    {
        _stream.Position = 20;
        _stream.Flush();
        var flush = _stream.FlushAsync(TestContext.Current.CancellationToken);
        Assert.True(flush.IsCompletedSuccessfully);
        await flush;

        Assert.Equal(20, _stream.Position);
        Assert.Equal(StreamPools.Bytes(100), _stream.ToArray());
    }

    [Fact]
    public async Task Flushing_a_disposed_stream_is_harmless_as_with_MemoryStream()
    {
        await _stream.DisposeAsync();
        _stream.Flush();

        Assert.True(_stream.FlushAsync(TestContext.Current.CancellationToken).IsCompletedSuccessfully);
    }

    [Fact]
    public void A_stream_supports_everything_except_timeouts()
    {
        Assert.True(_stream.CanRead);
        Assert.True(_stream.CanWrite);
        Assert.True(_stream.CanSeek);
        Assert.False(_stream.CanTimeout);
        Assert.Throws<InvalidOperationException>(() => _stream.ReadTimeout);
        Assert.Throws<InvalidOperationException>(() => _stream.ReadTimeout = 5);
        Assert.Throws<InvalidOperationException>(() => _stream.WriteTimeout);
        Assert.Throws<InvalidOperationException>(() => _stream.WriteTimeout = 5);
    }

    [Fact]
    public void Reads_and_writes_complete_synchronously()
    {
        var token = TestContext.Current.CancellationToken;
        _stream.Position = 0;

        Assert.True(_stream.ReadAsync(new byte[50], 0, 50, token).IsCompletedSuccessfully);
        Assert.True(_stream.ReadAsync(new byte[50].AsMemory(), token).AsTask().IsCompletedSuccessfully);
        Assert.True(_stream.WriteAsync(new byte[50], 0, 50, token).IsCompletedSuccessfully);
        Assert.True(_stream.WriteAsync(new byte[50].AsMemory(), token).AsTask().IsCompletedSuccessfully);
    }
}
