using System.Globalization;
using System.Runtime.InteropServices;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Misuse;

/// <summary>An array pool in paranoid mode reports every misuse of its arrays, and gives no array to two users.</summary>
public sealed class ParanoidArrays
{
    [Fact]
    public void A_double_return_throws_with_the_stacks_of_the_rent_and_of_the_first_return()
    {
        var clock = new ManualTimeProvider();
        using var pool = new TieredArrayPool<byte>(
            new ArrayPoolOptions { Name = "frames", Paranoid = ParanoidMode.Throw, TimeProvider = clock });
        var array = RentHere(pool);
        clock.Advance(TimeSpan.FromSeconds(2));
        pool.Return(array);
        pool.Return(pool.Rent(100));
        clock.Advance(TimeSpan.FromSeconds(1));

        var misuse = Assert.Throws<PoolMisuseException>(() => pool.Return(array)).Misuse;

        Assert.Equal(PoolMisuseKind.DoubleReturn, misuse.Kind);
        Assert.Equal("frames", misuse.PoolName);
        Assert.Equal((TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(1)), (misuse.SinceRent, misuse.SinceReturn));
        Assert.Contains(nameof(RentHere), misuse.RentedAt!.ToString(), StringComparison.Ordinal);
        Assert.Contains(
            nameof(A_double_return_throws_with_the_stacks_of_the_rent_and_of_the_first_return), misuse.ReturnedAt!.ToString(),
            StringComparison.Ordinal);
        Assert.Equal((1, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Leased));
    }

    [Fact]
    public void An_array_that_was_returned_by_hand_is_not_detached()
    {
        using var pool = NewPool(ParanoidMode.Report);
        var lease = pool.RentExact(100);
        Assert.True(MemoryMarshal.TryGetArray<byte>(lease.Memory, out var segment));
        pool.Return(segment.Array!);
        lease.Detach();

        Assert.Equal((1, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Detached));
        var reused = Assert.Single(RentUntilReused(pool), array => array == segment.Array);
        pool.Return(reused);
        Assert.Equal((1, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().ForeignReturns));
    }

    [Fact]
    public void Discarding_an_array_that_was_returned_by_hand_does_not_clear_what_its_next_user_wrote()
    {
        using var pool = new TieredArrayPool<byte>(
            new ArrayPoolOptions { Paranoid = ParanoidMode.Report, Clear = ClearPolicy.Sensitive });
        var lease = pool.RentExact(100);
        Assert.True(MemoryMarshal.TryGetArray<byte>(lease.Memory, out var segment));
        pool.Return(segment.Array!);
        segment.Array![0] = 7;
        lease.Discard();

        Assert.Equal(7, segment.Array[0]);
        Assert.Equal((1, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Discarded));
    }

    [Theory]
    [InlineData(ClearPolicy.Always)]
    [InlineData(ClearPolicy.Sensitive)]
    public void Ending_the_lease_of_an_array_that_was_returned_by_hand_does_not_clear_what_its_next_user_wrote(ClearPolicy clear)
    {
        using var pool = new TieredArrayPool<byte>(new ArrayPoolOptions { Paranoid = ParanoidMode.Report, Clear = clear });
        var lease = pool.RentExact(100);
        Assert.True(MemoryMarshal.TryGetArray<byte>(lease.Memory, out var segment));
        pool.Return(segment.Array!);
        segment.Array![0] = 7;
        lease.Dispose();

        Assert.Equal(7, segment.Array[0]);
        Assert.Equal((1, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Leased));
    }

    [Fact]
    public void An_array_that_was_returned_twice_never_has_two_users()
    {
        using var pool = NewPool(ParanoidMode.Report);
        var array = pool.Rent(100);
        pool.Return(array);
        pool.Return(pool.Rent(100));
        pool.Return(array);

        var rented = Enumerable.Range(0, 200).Select(_ => pool.Rent(100)).ToList();

        Assert.Equal(200, rented.Distinct().Count());
        Assert.Equal(1, pool.GetStatistics().DoubleReturns);
    }

    [Fact]
    public void A_double_return_does_not_clear_the_array_of_another_user()
    {
        using var pool = new TieredArrayPool<byte>(
            new ArrayPoolOptions { Paranoid = ParanoidMode.Report, MaxRetainedBytes = 32, Clear = ClearPolicy.Never });
        var array = pool.Rent(16);
        pool.Return(array);
        pool.Return(pool.Rent(16));
        pool.Return(array, clearArray: true);

        Assert.Equal(0xDB, array[0]);
        Assert.Equal(1, pool.GetStatistics().DoubleReturns);
        Assert.Equal(0, pool.GetStatistics().WritesAfterReturn);
    }

    [Fact]
    public void An_array_of_another_pool_is_not_kept()
    {
        using var pool = NewPool(ParanoidMode.Throw);

        var misuse = Assert.Throws<PoolMisuseException>(() => pool.Return(new byte[128])).Misuse;

        Assert.Equal(PoolMisuseKind.ForeignReturn, misuse.Kind);
        Assert.Equal((1, 0), (pool.GetStatistics().ForeignReturns, pool.GetStatistics().Retained));
    }

    [Theory]
    [InlineData(ClearPolicy.Never)]
    [InlineData(ClearPolicy.References)]
    [InlineData(ClearPolicy.Always)]
    [InlineData(ClearPolicy.Sensitive)]
    public void A_write_after_the_return_is_found_by_a_later_rent(ClearPolicy clear)
    {
        using var pool = new TieredArrayPool<byte>(new ArrayPoolOptions { Paranoid = ParanoidMode.Report, Clear = clear });
        var array = pool.Rent(100);
        pool.Return(array);
        array[127] = 1;

        var others = RentUntilReused(pool);

        Assert.DoesNotContain(array, others);
        Assert.Equal((1, 1), (pool.GetStatistics().WritesAfterReturn, pool.GetStatistics().Discarded));
    }

    [Theory]
    [InlineData(ClearPolicy.Never)]
    [InlineData(ClearPolicy.References)]
    public void A_reference_that_is_written_after_the_return_is_found(ClearPolicy clear)
    {
        using var pool = new TieredArrayPool<string>(new ArrayPoolOptions { Paranoid = ParanoidMode.Throw, Clear = clear });
        var array = pool.Rent(100);
        array[0] = "in use";
        pool.Return(array);
        array[3] = "too late";

        var misuse = Assert.Throws<PoolMisuseException>(() => RentUntilReused(pool)).Misuse;

        Assert.Equal(PoolMisuseKind.WriteAfterReturn, misuse.Kind);
        Assert.NotNull(misuse.RentedAt);
        Assert.NotNull(misuse.ReturnedAt);
        Assert.Equal(
            pool.GetStatistics().Created,
            pool.GetStatistics().Leased + pool.GetStatistics().Retained + pool.GetStatistics().Destroyed);
    }

    [Fact]
    public void Correct_use_of_all_lengths_is_not_reported()
    {
        using var pool = NewPool(ParanoidMode.Throw);
        for (var round = 0; round < 200; round++)
        {
            var length = 1 << (round % 20);
            var array = pool.Rent(length);
            Array.Fill(array, (byte)round);
            pool.Return(array, clearArray: round % 2 == 0);
            using var lease = pool.RentExact(length);
            lease.Span.Fill(7);
        }

        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public void Cleared_arrays_are_zero_when_they_are_rented_again()
    {
        using var pool =
            new TieredArrayPool<byte>(new ArrayPoolOptions { Paranoid = ParanoidMode.Throw, Clear = ClearPolicy.Always });
        for (var round = 0; round < 300; round++)
        {
            var array = pool.Rent(64);
            Assert.False(array.AsSpan().ContainsAnyExcept((byte)0));
            Array.Fill(array, (byte)1);
            pool.Return(array);
        }
    }

    [Fact]
    public void An_array_stays_in_quarantine_while_others_are_returned()
    {
        using var pool = NewPool(ParanoidMode.Report);
        var first = pool.Rent(100);
        pool.Return(first);
        for (var others = 0; others < 60; others++)
        {
            var array = pool.Rent(100);
            Assert.NotSame(first, array);
            pool.Return(array);
        }

        Assert.Contains(first, RentUntilReused(pool));
    }

    [Fact]
    public void Arrays_leave_the_quarantine_in_the_order_in_which_they_were_returned()
    {
        using var pool = NewPool(ParanoidMode.Throw);
        var arrays = Enumerable.Range(0, 65).Select(_ => pool.Rent(100)).ToList();
        arrays.ForEach(array => pool.Return(array));

        for (var round = 0; round < 200; round++)
        {
            var array = pool.Rent(100);
            Assert.Same(arrays[round % arrays.Count], array);
            pool.Return(array);
        }
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(0, 1)]
    [InlineData(31, 0)]
    [InlineData(127, 0)]
    [InlineData(128, 0)]
    [InlineData(500, 7)]
    [InlineData(1000, 3)]
    [InlineData(1023, 7)]
    public void A_write_of_one_bit_is_found_wherever_it_is(int index, int bit)
    {
        using var pool = NewPool(ParanoidMode.Report);
        var array = pool.Rent(1024);
        pool.Return(array);
        array[index] ^= (byte)(1 << bit);

        var fillers = Enumerable.Range(0, 70).Select(_ => pool.Rent(1024)).ToList();
        fillers.ForEach(filler => pool.Return(filler));
        var others = Enumerable.Range(0, 70).Select(_ => pool.Rent(1024)).ToList();

        Assert.DoesNotContain(array, others);
        Assert.Equal(1, pool.GetStatistics().WritesAfterReturn);
    }

    [Fact]
    public void Only_sampled_rents_are_poisoned_and_all_are_stamped()
    {
        using var pool =
            new TieredArrayPool<byte>(new ArrayPoolOptions { Paranoid = ParanoidMode.Report, ParanoidSampling = 10 });
        var arrays = Enumerable.Range(0, 20).Select(_ => pool.Rent(100)).ToList();
        arrays.ForEach(array => pool.Return(array));
        arrays.ForEach(array => pool.Return(array));

        Assert.Equal(20, pool.GetStatistics().DoubleReturns);
        Assert.Equal(18, arrays.Count(array => array[0] == 0));
    }

    [Fact]
    public void Retained_arrays_never_exceed_the_budget_and_are_trimmed()
    {
        using var pool =
            new TieredArrayPool<byte>(new ArrayPoolOptions { Paranoid = ParanoidMode.Report, MaxRetainedBytes = 1600 });
        var arrays = Enumerable.Range(0, 40).Select(_ => pool.Rent(100)).ToList();
        foreach (var array in arrays)
        {
            pool.Return(array);
            Assert.InRange(pool.GetStatistics().RetainedBytes, 0, 1600);
        }

        Assert.Equal(12, pool.GetStatistics().Retained);
        Assert.Equal(12, pool.Trim());
        Assert.Equal(0, pool.GetStatistics().Retained);
    }

    [Fact]
    public void Memory_that_is_written_after_its_owner_was_disposed_is_found()
    {
        using var arrays = NewPool(ParanoidMode.Report);
        using var pool = new TieredMemoryPool<byte>(arrays, reuseOwners: true);
        var owner = pool.Rent(100);
        var memory = owner.Memory;
        owner.Dispose();
        memory.Span[5] = 5;

        for (var i = 0; i < 200; i++)
        {
            pool.Rent(100).Dispose();
        }

        Assert.Equal(1, pool.GetStatistics().WritesAfterReturn);
    }

    [Fact]
    public void An_array_that_was_returned_although_it_is_leased_is_reported_when_the_lease_ends()
    {
        using var pool = NewPool(ParanoidMode.Throw);
        var lease = pool.RentExact(100);
#pragma warning disable PH1011 // That is the misuse.
        pool.Return(lease.Segment.Array!);
#pragma warning restore PH1011

        Assert.Equal(PoolMisuseKind.DoubleReturn, Assert.Throws<PoolMisuseException>(lease.Dispose).Misuse.Kind);
        Assert.Equal(1, pool.GetStatistics().Retained);
    }

    [Fact]
    public void A_detached_array_is_foreign()
    {
        using var pool = NewPool(ParanoidMode.Throw);
        var array = pool.RentExact(100).Detach().Array!;

        Assert.Equal(PoolMisuseKind.ForeignReturn, Assert.Throws<PoolMisuseException>(() => pool.Return(array)).Misuse.Kind);
    }

    [Fact]
    public void The_rented_arrays_are_listed_with_their_age_and_site_oldest_first()
    {
        var clock = new ManualTimeProvider();
        using var pool = new TieredArrayPool<byte>(new ArrayPoolOptions { Paranoid = ParanoidMode.Report, TimeProvider = clock });
        var first = RentHere(pool);
        clock.Advance(TimeSpan.FromSeconds(1));
        var second = pool.RentExact(500);
        clock.Advance(TimeSpan.FromSeconds(1));

        var leases = ((IPool)pool).GetLeases(10);

        Assert.Equal([(1, 2), (2, 1)], leases.Select(lease => ((int)lease.ItemNumber, (int)lease.LeasedFor.TotalSeconds)));
        Assert.Contains(nameof(RentHere), leases[0].RentedAt!.ToString(), StringComparison.Ordinal);
        Assert.Equal(1, Assert.Single(pool.GetLeases(1)).ItemNumber);
        pool.Return(first);
        second.Dispose();
        Assert.Empty(pool.GetLeases(10));
    }

    [Fact]
    public void Of_concurrent_returns_of_an_array_one_succeeds()
    {
        using var pool = NewPool(ParanoidMode.Report);
        for (var round = 0; round < 200; round++)
        {
            var array = pool.Rent(16);
            Parallel.For(0, 4, _ => pool.Return(array));
        }

        Assert.Equal((600, 0), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Leased));
    }

    [Fact]
    public void An_array_that_was_found_changed_does_not_count_as_a_rent()
    {
        using var pool = new TieredArrayPool<byte>(
            new ArrayPoolOptions { Paranoid = ParanoidMode.Report, ParanoidSampling = 1, MaxRetainedBytes = 16 });
        var array = pool.Rent(16);
        pool.Return(array);
        array[0]++;
        pool.Rent(16);

        var statistics = pool.GetStatistics();
        Assert.Equal((2, 0, 2), (statistics.Rented, statistics.Hits, statistics.Misses));
        Assert.Equal((1, 1, 1), (statistics.Returned, statistics.Discarded, statistics.Leased));
    }

    [Fact]
    public void Threads_that_rent_and_return_at_the_same_time_never_share_an_array()
    {
        const int Most = 200 * 16 * sizeof(int);
        using var pool =
            new TieredArrayPool<int>(new ArrayPoolOptions { Paranoid = ParanoidMode.Throw, MaxRetainedBytes = Most });
        Parallel.For(1, 5, thread =>
        {
            for (var round = 0; round < 20_000; round++)
            {
                var (one, other) = (pool.Rent(16), pool.Rent(16));
                (one[0], other[0]) = (thread, -thread);
                if ((one[0], other[0]) != (thread, -thread))
                {
                    throw new InvalidOperationException("The array has another user.");
                }

                pool.Return(one);
                pool.Return(other);
            }
        });

        var statistics = pool.GetStatistics();
        Assert.Equal(0, statistics.Leased);
        Assert.Equal(statistics.Created, statistics.Retained + statistics.Destroyed);
        Assert.Equal(160_000, statistics.Rented);
        Assert.InRange(statistics.RetainedBytes, 0, Most);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1_000_001)]
    public void An_invalid_sampling_is_named(int sampling)
    {
        var error = Assert.Throws<ArgumentException>(
            () => new TieredArrayPool<byte>(new ArrayPoolOptions { ParanoidSampling = sampling }));
        Assert.Contains(
            $"ParanoidSampling is {sampling.ToString(CultureInfo.InvariantCulture)}; allowed: null, or 1 to 1,000,000.",
            error.Message, StringComparison.Ordinal);
    }

    private static TieredArrayPool<byte> NewPool(ParanoidMode mode) => new(new ArrayPoolOptions { Paranoid = mode });

    private static byte[] RentHere(TieredArrayPool<byte> pool) => pool.Rent(100);

    // Everything that the pool has retained, including its quarantine.
    private static List<T[]> RentUntilReused<T>(TieredArrayPool<T> pool)
    {
        var fillers = Enumerable.Range(0, 70).Select(_ => pool.Rent(100)).ToList();
        fillers.ForEach(array => pool.Return(array));
        return [.. Enumerable.Range(0, 70).Select(_ => pool.Rent(100))];
    }
}
