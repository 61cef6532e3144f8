using Microsoft.Extensions.ObjectPool;
using Poolhouse.TestSupport;

namespace Poolhouse.Tests.Objects;

/// <summary>I24: a hit allocates nothing. Counted per thread, so that other tests do not affect it.</summary>
public sealed class AllocationGates
{
    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    [InlineData(500)]
    public void Get_and_return_allocate_nothing(int depth)
    {
        var pool = new TieredObjectPool<Item>(new DefaultPooledObjectPolicy<Item>(), StatisticsAssert.Retaining(500));
        var held = new Item[depth];

        Assert.Equal(0, AllocatedBy(() =>
        {
            for (var i = 0; i < depth; i++)
            {
                held[i] = pool.Get();
            }

            for (var i = 0; i < depth; i++)
            {
                pool.Return(held[i]);
            }
        }));
    }

    [Fact]
    public void A_guarded_rent_allocates_nothing()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), item => item.Uses >= 0, StatisticsAssert.Retaining(10));

        Assert.Equal(0, AllocatedBy(() =>
        {
            using var lease = pool.Rent();
            lease.Value.Uses++;
        }));
    }

    [Fact]
    public void Ending_a_lease_a_second_time_allocates_nothing()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(10));

        Assert.Equal(0, AllocatedBy(() =>
        {
            var lease = pool.Rent();
            lease.Dispose();
            lease.Dispose();
        }));
    }

    [Fact]
    public void A_string_builder_cycle_allocates_nothing()
    {
        var pool = new TieredObjectPoolProvider().CreateStringBuilderPool();

        Assert.Equal(0, AllocatedBy(() =>
        {
            var builder = pool.Get();
            builder.Append("text");
            pool.Return(builder);
        }));
    }

    private static long AllocatedBy(Action cycle) => Allocated.By(cycle, 2_000);
}
