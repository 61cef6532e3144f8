using System.Buffers;
using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>One pooled stream that several threads use: misuse that must not affect another stream (I1, I12).</summary>
public sealed class Streams(ITestOutputHelper output) : Exploration(output)
{
    private const byte Mine = 1;
    private const byte Others = 2;

    [Fact]
    public void A_stream_disposed_by_two_threads_is_returned_once() => Explore(run =>
    {
        var pool = NewPool();
        Action dispose = Write(pool, Mine).Dispose;
        run.Actor("first", dispose);
        run.Actor("second", dispose);
        run.Actor("user", () =>
        {
            // Both at once: if the body had been returned twice, they would share it.
            using var one = Write(pool, Others);
            using var other = Write(pool, Mine);
            AssertAll(Others, one);
            AssertAll(Mine, other);
        });
        run.AtEnd(() => AssertQuiescent(pool, doubleReturns: 0));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_block_read_by_a_copy_has_no_other_user() => Explore(run =>
    {
        var pool = NewPool();
        var stream = Write(pool, Mine);
        run.Actor("copier", () =>
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
        run.Actor("disposer", stream.Dispose);
        run.Actor("user", () => Write(pool, Others).Dispose());
        run.AtEnd(() => Assert.Equal(0, pool.GetStatistics().Leased));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_stream_that_ends_while_another_thread_extends_it_shares_no_block() => Explore(run =>
    {
        var pool = NewPool();
        var stream = Write(pool, Mine);
        run.Actor("writer", () => Attempt(() => Fill(stream, Mine)));
        run.Actor("disposer", () =>
        {
            stream.Dispose();

            // On the same thread, so that it gets the same blocks if they were returned.
            using var next = Write(pool, Others);
            AssertAll(Others, next);
        });
        run.AtEnd(() => AssertNoBlockIsShared(pool));
    }, preemptions: 2, random: 300);

    [Fact]
    public void Blocks_added_and_removed_by_two_threads_are_returned_once() => Explore(run =>
    {
        var pool = NewPool();
        var stream = Write(pool, Mine);
        run.Actor("shortener", () => Attempt(() =>
        {
            stream.SetLength(0);
            stream.Capacity = 0;
        }));
        run.Actor("joiner", () => Attempt(() =>
        {
            stream.Capacity = 48;
            _ = stream.GetBuffer();
        }));
        run.AtEnd(() =>
        {
            stream.Dispose();
            AssertNoBlockIsShared(pool);
        });
    }, preemptions: 1, random: 300);

    [Fact]
    public void A_stream_that_is_detached_while_another_thread_extends_it_returns_each_block_once() => Explore(run =>
    {
        var pool = NewPool();
        var stream = Write(pool, Mine);
        run.Actor("writer", () => Attempt(() => Fill(stream, Mine)));
        run.Actor("detacher", () => Attempt(() =>
        {
            using var content = stream.DetachBuffer();
            Write(pool, Others).Dispose();
        }));
        run.AtEnd(() => AssertNoBlockIsShared(pool));
    }, preemptions: 1, random: 300);

    [Fact]
    public void A_block_read_by_copies_is_cleared_by_the_last_of_them() => Explore(run =>
    {
        var pool = NewPool(ClearPolicy.Sensitive);
        var stream = Write(pool, Mine);
        run.Actor("copier", () =>
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
        run.Actor("disposer", stream.Dispose);
        run.Actor("user", () => AssertClear(pool));
        run.AtEnd(() =>
        {
            AssertClear(pool);
            AssertQuiescent(pool, doubleReturns: 0);
        });
    }, preemptions: 1, random: 1_000);

    /// <summary>The memory that a new stream offers, and the arrays that others may rent, are zero (I22).</summary>
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

    // The exceptions that the mistake may cause: the stream reports the concurrent use, or its disposal.
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
        AssertQuiescent(pool, doubleReturns: 0);
        var arrays = Enumerable.Range(0, 20).Select(_ => pool.Arrays.Rent(16)).ToList();
        Assert.Equal(arrays.Count, arrays.Distinct(ReferenceEqualityComparer.Instance).Count());
    }

    private static void AssertQuiescent(StreamPool pool, long doubleReturns)
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
