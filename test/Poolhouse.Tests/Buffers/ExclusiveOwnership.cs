using System.Collections.Concurrent;
using System.Globalization;

namespace Poolhouse.Tests.Buffers;

/// <summary>Threads that rent, hold, hand over and return at random, with a stamp in each array they own.</summary>
public sealed class ExclusiveOwnership
{
    private const int Workers = 4;
    private const int MostHeld = 12;
    private const string SeedVariable = "POOLHOUSE_SEED";

    private readonly int _seed = int.TryParse(
            Environment.GetEnvironmentVariable(SeedVariable), CultureInfo.InvariantCulture, out var seed)
        ? seed
        : Random.Shared.Next();

    private readonly MemoryPressureSource _pressure = new();

    [Theory]
    [InlineData(0, 16, 250_000)]
    [InlineData(4 << 10, 16, 250_000)]
    [InlineData(64 << 10, 16, 250_000)]
    [InlineData(ArrayPoolOptions.DefaultMaxRetainedBytes, 16, 250_000)]
    [InlineData(4 << 20, 1 << 13, 2_000)]
    public void No_array_has_two_owners_and_the_bound_always_holds(long budget, int shortest, int steps)
    {
        TestContext.Current.TestOutputHelper!.WriteLine($"To replay: {SeedVariable}={_seed}");
        var options = Pools.Options(ClearPolicy.Always, budget);
        options.MemoryPressure = _pressure;
        using var pool = new TieredArrayPool<long>(options);
        var exchange = new ConcurrentQueue<Held>();
        var working = Workers;

        Threads.Run(Workers + 1, number =>
        {
            if (number == Workers)
            {
                Disturb(pool, new Random(_seed - 1), () => Volatile.Read(ref working) > 0);
                return;
            }

            try
            {
                Work(pool, exchange, new Random(_seed + number), (long)(number + 1) << 40, shortest, steps);
            }
            finally
            {
                Interlocked.Decrement(ref working);
            }
        });

        foreach (var left in exchange)
        {
            left.Return(pool);
        }

        var statistics = pool.AssertBalanced();
        Assert.Equal(0, statistics.Leased);
        Assert.Equal(0, statistics.DoubleReturns);
        if (budget < ArrayPoolOptions.DefaultMaxRetainedBytes)
        {
            pool.AssertBudgetIsWhole();
        }
    }

    private static void Work(
        TieredArrayPool<long> pool, ConcurrentQueue<Held> exchange, Random random, long stamp, int shortest, int steps)
    {
        var held = new List<Held>();
        for (var step = 0; step < steps; step++)
        {
            switch (random.Next(8))
            {
                case < 4 when held.Count < MostHeld:
                    held.Add(Held.Rent(pool, shortest << random.Next(5), ++stamp, random.Next(3) == 0));
                    break;
                case 7 when exchange.TryDequeue(out var theirs):
                    theirs.Return(pool);
                    break;
                case 6 when held.Count > 0:
                    exchange.Enqueue(held[^1]);
                    held.RemoveAt(held.Count - 1);
                    break;
                case > 3 when held.Count > 0:
                    var pick = random.Next(held.Count);
                    held[pick].Return(pool);
                    held.RemoveAt(pick);
                    break;
                default:
                    break;
            }
        }

        held.ForEach(each => each.Return(pool));
    }

    private void Disturb(TieredArrayPool<long> pool, Random random, Func<bool> goOn)
    {
        while (goOn())
        {
            Assert.InRange(pool.GetStatistics().RetainedBytes, 0, pool.MaxRetainedBytes);
            switch (random.Next(2000))
            {
                case 0:
                    pool.Trim();
                    break;
                case 1:
                    _pressure.Report(MemoryPressure.High);
                    break;
                case < 8:
                    _pressure.Report(MemoryPressure.Medium);
                    break;
                default:
                    break;
            }
        }
    }

    /// <summary>An array that carries its owner's stamp until it is returned.</summary>
    private readonly record struct Held(long[] Array, BufferLease<long> Lease, long Stamp)
    {
        public static Held Rent(TieredArrayPool<long> pool, int length, long stamp, bool lease)
        {
            var guard = lease ? pool.RentExact(length) : default;
            var array = lease ? guard.Segment.Array! : pool.Rent(length);

            // The policy clears each returned array, so anything else is the stamp of a current owner.
            Assert.Equal(0, Interlocked.Exchange(ref array[0], stamp));
            return new Held(array, guard, stamp);
        }

        public void Return(TieredArrayPool<long> pool)
        {
            Assert.Equal(Stamp, Interlocked.Exchange(ref Array[0], 0));
            if (Lease == default)
            {
                pool.Return(Array);
            }
            else
            {
                Lease.Dispose();
            }
        }
    }
}
