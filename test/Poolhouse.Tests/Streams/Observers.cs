using System.Runtime.CompilerServices;
using Poolhouse.Streams.Blocks;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Streams;

public sealed class Observers
{
    private readonly ManualTimeProvider _clock = new();
    private readonly StreamRecorder _events = new();
    private readonly StreamPool _pool;

    public Observers() => _pool = StreamPools.Make(change: options =>
    {
        options.Observer = _events;
        options.TimeProvider = _clock;
        options.MaxLength = 1000;
    });

    [Fact]
    public void Renting_and_returning_a_stream_are_reported()
    {
        var stream = _pool.Rent("orders", 500);
        Assert.Equal(new StreamRentedArgs(_pool, "orders", 500), Assert.Single(_events.Of<StreamRentedArgs>()));
        stream.Write(StreamPools.Bytes(300));
        _clock.Advance(TimeSpan.FromSeconds(7));
        stream.Dispose();
        stream.Dispose();

        Assert.Equal(
            new StreamReturnedArgs(_pool, "orders", 300, TimeSpan.FromSeconds(7)),
            Assert.Single(_events.Of<StreamReturnedArgs>()));
    }

    [Fact]
    public void A_detached_buffer_is_reported_as_a_stream_returned_empty()
    {
        var stream = _pool.Rent("orders");
        stream.Write(StreamPools.Bytes(300));
        using var buffer = stream.DetachBuffer();

        Assert.Equal(("orders", 0), Assert.Single(_events.Of<StreamReturnedArgs>().Select(each => (each.Tag, each.Length))));
    }

    [Fact]
    public void A_copy_to_an_array_is_reported()
    {
        using var stream = _pool.Rent("orders");
        stream.Write(StreamPools.Bytes(300));
        _ = stream.WrittenSequence;
        _ = stream.GetBuffer();
        Assert.Empty(_events.Of<StreamCopiedToArrayArgs>());
        _ = stream.ToArray();

        Assert.Equal(new StreamCopiedToArrayArgs(_pool, "orders", 300), Assert.Single(_events.Of<StreamCopiedToArrayArgs>()));
    }

    [Fact]
    public void An_observer_of_a_copy_to_an_array_may_end_the_stream_and_fill_the_next_one()
    {
        var observer = new Caller();
        using var pool = StreamPools.Make(change: options => options.Observer = observer);
        var stream = pool.RentWith(StreamPools.Bytes(100));
        PooledStream? next = null;
        observer.Call = () =>
        {
            stream.Dispose();
            next = pool.RentWith(StreamPools.Bytes(100, 50));
        };

        Assert.Throws<ObjectDisposedException>(() => stream.ToArray());
        observer.Call = null;
        Assert.Equal(StreamPools.Bytes(100, 50), next!.ToArray());
        next.Dispose();
    }

    [Fact]
    public void A_copy_to_an_array_has_the_content_that_an_observer_left()
    {
        var observer = new Caller();
        using var pool = StreamPools.Make(change: options => options.Observer = observer);
        using var stream = pool.RentWith(StreamPools.Bytes(100));
        observer.Call = () => stream.SetLength(10);

        Assert.Equal(StreamPools.Bytes(10), stream.ToArray());
    }

    [Fact]
    public void A_copy_of_a_stream_to_itself_is_no_rent()
    {
        using var stream = _pool.Rent("orders");
        stream.Write(StreamPools.Bytes(300));
        stream.WriteTo(stream);

        Assert.Equal([.. StreamPools.Bytes(300), .. StreamPools.Bytes(300)], stream.ToArray());
        Assert.Equal((1, 0), (_events.Of<StreamRentedArgs>().Count, _events.Of<StreamReturnedArgs>().Count));
        Assert.Equal((1, 1L), (_pool.GetStatistics().Rented, _pool.GetStatistics().Leased));
    }

    [Fact]
    public void A_stream_too_long_for_an_array_is_not_reported_as_copied_to_one()
    {
        using var stream = _pool.Rent("orders");
        SetLength(stream.Body, Array.MaxLength + 1L);
        Assert.Throws<IOException>(() => stream.ToArray());
        SetLength(stream.Body, 0);

        Assert.Empty(_events.Of<StreamCopiedToArrayArgs>());
    }

    [Fact]
    public void A_write_beyond_MaxLength_is_reported()
    {
        using var stream = _pool.Rent("orders");
        stream.Write(StreamPools.Bytes(990));

        Assert.Throws<IOException>(() => stream.Write(StreamPools.Bytes(11)));
        Assert.Equal(new StreamTooLongArgs(_pool, "orders", 990, 11), Assert.Single(_events.Of<StreamTooLongArgs>()));
        Assert.Equal(StreamPools.Bytes(990), stream.ToArray());
    }

    [Fact]
    public void Exceptions_of_an_observer_are_ignored()
    {
        using var pool = StreamPools.Make(change: options =>
        {
            options.Observer = new Thrower();
            options.MaxLength = 100;
        });
        using (var stream = pool.RentWith(StreamPools.Bytes(100)))
        {
            Assert.Equal(StreamPools.Bytes(100), stream.ToArray());
            Assert.Throws<IOException>(() => stream.WriteByte(1));
        }

        Assert.Equal((0, 0), (pool.GetStatistics().Leased, pool.Arrays.GetStatistics().Leased));
    }

    // Instead of 2 GiB of content.
    private static void SetLength(StreamBody body, long value) => Content(body).Cursor.Length = value;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_content")]
    private static extern ref Poolhouse.Streams.Blocks.StreamContent Content(StreamBody body);

    /// <summary>Runs a delegate when a stream is copied to an array.</summary>
    private sealed class Caller : StreamPoolObserver
    {
        public Action? Call { get; set; }

        public override void OnCopiedToArray(in StreamCopiedToArrayArgs copied) => Call?.Invoke();
    }

    private sealed class Thrower : StreamPoolObserver
    {
        public override void OnRented(in StreamRentedArgs rented) => throw new InvalidOperationException();

        public override void OnReturned(in StreamReturnedArgs returned) => throw new InvalidOperationException();

        public override void OnCopiedToArray(in StreamCopiedToArrayArgs copied) => throw new InvalidOperationException();

        public override void OnTooLong(in StreamTooLongArgs refused) => throw new InvalidOperationException();
    }
}
