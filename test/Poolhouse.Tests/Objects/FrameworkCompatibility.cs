using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tests.Objects;

public sealed class FrameworkCompatibility
{
    [Fact]
    public void A_returned_item_is_rented_again()
    {
        ObjectPool<Item> pool = new TieredObjectPool<Item>(new DefaultPooledObjectPolicy<Item>());
        var first = pool.Get();
        pool.Return(first);

        Assert.Same(first, pool.Get());
        Assert.NotSame(first, pool.Get());
    }

    [Fact]
    public void The_item_returned_last_is_rented_first()
    {
        var pool = new TieredObjectPool<Item>(() => new Item());
        Item[] items = [pool.Get(), pool.Get(), pool.Get()];
        foreach (var item in items)
        {
            pool.Return(item);
        }

        Assert.Equal(items.Reverse(), [pool.Get(), pool.Get(), pool.Get()]);
    }

    [Fact]
    public void A_policy_sees_every_return_and_may_reject_it()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), item => item.Uses++ == 0);
        var item = pool.Get();

        pool.Return(item);
        Assert.Same(item, pool.Get());
        pool.Return(item);
        Assert.NotSame(item, pool.Get());
        Assert.Equal(1, pool.GetStatistics().Refused);
    }

    [Fact]
    public void The_default_policy_resets_resettable_items()
    {
        var pool = new TieredObjectPool<ResettableItem>(new DefaultPooledObjectPolicy<ResettableItem>());
        var item = pool.Get();
        pool.Return(item);
        Assert.Equal(1, item.Resets);

        Assert.Same(item, pool.Get());
        item.Accepts = false;
        pool.Return(item);
        Assert.NotSame(item, pool.Get());
    }

    [Fact]
    public void The_default_policy_resets_a_resettable_derived_type()
    {
        var pool = new TieredObjectPool<Open>(new DefaultPooledObjectPolicy<Open>());
        var heir = new ResettableHeir();
        pool.Return(heir);

        Assert.Equal(1, heir.Resets);
    }

    [Fact]
    public void The_provider_pools_string_builders_as_DefaultObjectPoolProvider_does()
    {
        var pool = new TieredObjectPoolProvider().CreateStringBuilderPool(initialCapacity: 10, maximumRetainedCapacity: 100);
        var builder = pool.Get();
        builder.Append("text");
        pool.Return(builder);

        Assert.IsType<TieredObjectPool<StringBuilder>>(pool);
        Assert.Same(builder, pool.Get());
        Assert.Equal(0, builder.Length);

        builder.Append('x', 101);
        pool.Return(builder);
        Assert.NotSame(builder, pool.Get());
    }

    [Fact]
    public void The_provider_creates_pools_with_its_options()
    {
        var provider = new TieredObjectPoolProvider(new ObjectPoolOptions { MaxRetained = 3 });
        var pool = Assert.IsType<TieredObjectPool<Item>>(provider.Create<Item>());

        Assert.Equal(3, pool.MaxRetained);
        Assert.NotSame(pool, provider.Create<Item>());
    }

    [Fact]
    public void A_provider_with_a_name_is_rejected_because_its_pools_would_share_it()
    {
        var error = Assert.Throws<ArgumentException>(() => new TieredObjectPoolProvider(new ObjectPoolOptions { Name = "all" }));
        Assert.Contains("\"all\"", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_pool_wrapper_works_over_it()
    {
        var provider = new WrappingProvider(new TieredObjectPoolProvider());
        var pool = provider.Create(new DefaultPooledObjectPolicy<Item>());
        var item = pool.Get();

        Assert.Equal(1, provider.Out);
        pool.Return(item);
        Assert.Equal(0, provider.Out);
        Assert.Same(item, pool.Get());
    }

    [Fact]
    public void A_struct_policy_is_called_like_any_other()
    {
        var pool = new TieredObjectPool<Item, CountingPolicy>();
        var item = pool.Get();
        pool.Return(item);

        Assert.Equal(1, item.Uses);
        using (var lease = pool.Rent())
        {
            Assert.Same(item, lease.Value);
        }

        Assert.Equal(2, item.Uses);
    }

    [Fact]
    public void A_struct_policy_keeps_its_state()
    {
        var pool = new TieredObjectPool<Item, NumberingPolicy>();

        Assert.Equal([1, 2, 3], [pool.Get().Uses, pool.Get().Uses, pool.Get().Uses]);
    }

    private class Open;

    private sealed class ResettableHeir : Open, IResettable
    {
        public int Resets { get; private set; }

        public bool TryReset() => ++Resets > 0;
    }

    private readonly struct CountingPolicy : IPooledObjectPolicy<Item>
    {
        public Item Create() => new();

        public bool Return(Item obj) => ++obj.Uses > 0;
    }

    private struct NumberingPolicy : IPooledObjectPolicy<Item>
    {
        private int _last;

        public Item Create() => new() { Uses = ++_last };

        public readonly bool Return(Item obj) => true;
    }

    /// <summary>What a leak tracker does: a pool over the pool of another provider.</summary>
    private sealed class WrappingProvider(ObjectPoolProvider inner) : ObjectPoolProvider
    {
        public int Out { get; private set; }

        public override ObjectPool<T> Create<T>(IPooledObjectPolicy<T> policy) => new Wrapper<T>(this, inner.Create(policy));

        private sealed class Wrapper<T>(WrappingProvider owner, ObjectPool<T> pool) : ObjectPool<T>
            where T : class
        {
            public override T Get()
            {
                owner.Out++;
                return pool.Get();
            }

            public override void Return(T obj)
            {
                owner.Out--;
                pool.Return(obj);
            }
        }
    }
}
