using System.Buffers;
using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>One pooled stream in the hands of several threads: misuse that must not reach another stream (I1, I12).</summary>
public sealed class Streams(ITestOutputHelper output) : Exploration(output)
{
    private const byte Mine = 1;
    private const byte Others = 2;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_stream_disposed_by_two_threads_is_returned_once(bool leased) => Explore(play =>
    {
        var pool = NewPool();
        Action dispose = leased ? WriteLeased(pool).Dispose : Write(pool, Mine).Dispose;
        play.Actor("first", dispose);
        play.Actor("second", dispose);
        play.Actor("user", () =>
        {
            // Both at once: had the insides come back twice, they would share them.
            using var one = Write(pool, Others);
            using var other = Write(pool, Mine);
            AssertAll(Others, one);
            AssertAll(Mine, other);
        });
        play.AtEnd(() => AssertAtRest(pool, doubleReturns: leased ? 1 : 0));
    }, preemptions: 1, random: 1_000, variant: leased ? " (leased)" : "");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_block_read_by_a_copy_has_no_other_user(bool leased) => Explore(play =>
    {
        var pool = NewPool();
        var lease = leased ? WriteLeased(pool) : default;
        var stream = leased ? lease.Stream : Write(pool, Mine);
        play.Actor("copier", () =>
        {
            try
            {
                stream.Position = 0;
                stream.CopyTo(new SlowReader());
            }
            catch (ObjectDisposedException)
            {
                // It was disposed before, or in between.
            }
        });
        play.Actor("disposer", leased ? lease.Dispose : stream.Dispose);
        play.Actor("user", () => Write(pool, Others).Dispose());
        play.AtEnd(() => Assert.Equal(0, pool.GetStatistics().Leased));
    }, preemptions: 1, random: 1_000, variant: leased ? " (leased)" : "");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_stream_that_ends_while_another_thread_lets_it_grow_keeps_its_blocks_to_itself(bool leased) => Explore(play =>
    {
        var pool = NewPool();
        var lease = leased ? WriteLeased(pool) : default;
        var stream = leased ? lease.Stream : Write(pool, Mine);
        play.Actor("writer", () => Attempt(() => Fill(stream, Mine)));
        play.Actor("disposer", () =>
        {
            (leased ? (Action)lease.Dispose : stream.Dispose)();

            // On the same thread, so that it gets the same blocks if they were returned.
            using var next = Write(pool, Others);
            AssertAll(Others, next);
        });
        play.AtEnd(() => AssertNoBlockIsShared(pool));
    }, preemptions: 2, random: 300, variant: leased ? " (leased)" : "");

    [Fact]
    public void Blocks_added_and_removed_by_two_threads_are_returned_once() => Explore(play =>
    {
        var pool = NewPool();
        var stream = Write(pool, Mine);
        play.Actor("shortener", () => Attempt(() =>
        {
            stream.SetLength(0);
            stream.Capacity = 0;
        }));
        play.Actor("joiner", () => Attempt(() =>
        {
            stream.Capacity = 48;
            _ = stream.GetBuffer();
        }));
        play.AtEnd(() =>
        {
            stream.Dispose();
            AssertNoBlockIsShared(pool);
        });
    }, preemptions: 1, random: 300);

    [Fact]
    public void A_stream_that_is_detached_while_another_thread_lets_it_grow_returns_each_block_once() => Explore(play =>
    {
        var pool = NewPool();
        var stream = Write(pool, Mine);
        play.Actor("writer", () => Attempt(() => Fill(stream, Mine)));
        play.Actor("detacher", () => Attempt(() =>
        {
            using var content = stream.DetachBuffer();
            Write(pool, Others).Dispose();
        }));
        play.AtEnd(() => AssertNoBlockIsShared(pool));
    }, preemptions: 1, random: 300);

    [Fact]
    public void A_stream_that_is_detached_while_its_lease_ends_returns_each_block_once() => Explore(play =>
    {
        var pool = NewPool();
        var lease = WriteLeased(pool);
        var stream = lease.Stream;
        play.Actor("detacher", () => Attempt(() =>
        {
            using var content = stream.DetachBuffer();
            Actor.Step("look", "content");
            Assert.All(content.Sequence.ToArray(), each => Assert.Equal(Mine, each));
        }));
        play.Actor("owner", () =>
        {
            lease.Dispose();
            using var next = Write(pool, Others);
            AssertAll(Others, next);
        });
        play.AtEnd(() => AssertNoBlockIsShared(pool));
    }, preemptions: 2, random: 300);

    [Fact]
    public void A_block_read_by_copies_is_cleared_by_the_last_of_them() => Explore(play =>
    {
        var pool = NewPool(ClearPolicy.Sensitive);
        var stream = Write(pool, Mine);
        play.Actor("copier", () =>
        {
            try
            {
                stream.Position = 0;
                stream.CopyTo(new SlowReader());
            }
            catch (ObjectDisposedException)
            {
                // It was disposed before, or in between.
            }
        });
        play.Actor("disposer", stream.Dispose);
        play.Actor("user", () => AssertClear(pool));
        play.AtEnd(() =>
        {
            AssertClear(pool);
            AssertAtRest(pool, doubleReturns: 0);
        });
    }, preemptions: 1, random: 1_000);

    /// <summary>What a new stream offers to be written on, and the arrays that others may rent (I22).</summary>
    private static void AssertClear(StreamPool pool)
    {
        using var stream = pool.Rent();
        Assert.All(stream.GetSpan(16).ToArray(), each => Assert.Equal(0, each));
        byte[][] arrays = [pool.Arrays.Rent(16), pool.Arrays.Rent(16), pool.Arrays.Rent(16)];
        foreach (var array in arrays)
        {
            Assert.All(array, each => Assert.Equal(0, each));
            pool.Arrays.Return(array);
        }
    }

    private static StreamPool NewPool(ClearPolicy clear = ClearPolicy.References)
    {
        var quiet = new MemoryPressureSource();
        return new StreamPool(new StreamPoolOptions
        {
            FirstBlockSize = 16,
            MaxBlockSize = 16,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MemoryPressure = quiet,
            Arrays = new TieredArrayPool<byte>(
                new ArrayPoolOptions { Clear = clear, IdleTimeout = Timeout.InfiniteTimeSpan, MemoryPressure = quiet }),
        });
    }

    private static PooledStream Write(StreamPool pool, byte value)
    {
        var stream = pool.Rent();
        Fill(stream, value);
        return stream;
    }

    private static StreamLease WriteLeased(StreamPool pool)
    {
        var lease = pool.RentLease();
        Fill(lease.Stream, Mine);
        return lease;
    }

    // Two blocks: the stream's own, and one of the array pool.
    private static void Fill(PooledStream stream, byte value)
    {
        Span<byte> bytes = stackalloc byte[32];
        bytes.Fill(value);
        stream.Write(bytes);
    }

    private static void AssertAll(byte value, PooledStream stream)
    {
        Actor.Step("look", "content");
        Assert.All(stream.ToArray(), each => Assert.Equal(value, each));
    }

    // What the caller's mistake costs the caller: the stream reports it, or its end.
    private static void Attempt(Action use)
    {
        try
        {
            use();
        }
        catch (InvalidOperationException)
        {
        }
    }

    private static void AssertNoBlockIsShared(StreamPool pool)
    {
        AssertAtRest(pool, doubleReturns: 0);
        var arrays = Enumerable.Range(0, 20).Select(_ => pool.Arrays.Rent(16)).ToList();
        Assert.Equal(arrays.Count, arrays.Distinct(ReferenceEqualityComparer.Instance).Count());
    }

    private static void AssertAtRest(StreamPool pool, long doubleReturns)
    {
        var streams = pool.GetStatistics();
        Assert.Equal((0, doubleReturns), (streams.Leased, streams.DoubleReturns));
        Assert.Equal((0, 0), (pool.Arrays.GetStatistics().Leased, pool.Arrays.GetStatistics().DoubleReturns));
    }

    /// <summary>Reads the buffers that it is given while other actors continue.</summary>
    private sealed class SlowReader : MemoryStream
    {
        public override void Write(byte[] buffer, int offset, int count)
        {
            for (var look = 0; look < 2; look++)
            {
                Actor.Step("read", "block");
                Assert.All(buffer.AsSpan(offset, count).ToArray(), each => Assert.Equal(Mine, each));
            }
        }
    }
}
