
namespace Poolhouse.Tests.Streams;

/// <summary>A token cancelled beforehand: the task is cancelled with it, and the call has no effect.</summary>
public sealed class CancelledTokens
{
    private static readonly CancellationToken _cancelled = new(canceled: true);

    private readonly PooledStream _stream = StreamPools.Make().RentWith(StreamPools.Bytes(100));

    public CancelledTokens() => _stream.Position = 20;

    [Fact]
    public Task A_read_into_an_array() => AssertCancelledAsync(() => _stream.ReadAsync(new byte[5], 0, 5, _cancelled));

    [Fact]
    public Task A_read_into_memory() =>
        AssertCancelledAsync(() => _stream.ReadAsync(new byte[5].AsMemory(), _cancelled).AsTask());

    [Fact]
    public Task A_write_from_an_array() => AssertCancelledAsync(() => _stream.WriteAsync(new byte[5], 0, 5, _cancelled));

    [Fact]
    public Task A_write_from_memory() =>
        AssertCancelledAsync(() => _stream.WriteAsync(new byte[5].AsMemory(), _cancelled).AsTask());

    [Fact]
    public Task A_flush() => AssertCancelledAsync(() => _stream.FlushAsync(_cancelled));

    [Fact]
    public async Task A_copy()
    {
        using var destination = new MemoryStream();
        await AssertCancelledAsync(() => _stream.CopyToAsync(destination, 81920, _cancelled));

        Assert.Equal(0, destination.Length);
    }

    [Fact]
    public void Arguments_are_validated_before_the_token()
    {
        Assert.Throws<ArgumentNullException>("buffer", () => { _ = _stream.ReadAsync(null!, 0, 5, _cancelled); });
        Assert.Throws<ArgumentOutOfRangeException>("offset", () => { _ = _stream.WriteAsync(new byte[5], -1, 5, _cancelled); });
        Assert.Throws<ArgumentNullException>("destination", () => { _ = _stream.CopyToAsync(null!, 81920, _cancelled); });
    }

    private async Task AssertCancelledAsync(Func<Task> call)
    {
        var task = call();
        Assert.Equal(TaskStatus.Canceled, task.Status);
        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);

        Assert.Equal(_cancelled, error.CancellationToken);
        Assert.Equal((100, 20), (_stream.Length, _stream.Position));
        Assert.Equal(StreamPools.Bytes(100), _stream.ToArray());
    }
}
