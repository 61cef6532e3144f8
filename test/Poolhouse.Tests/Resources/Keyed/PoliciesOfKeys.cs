namespace Poolhouse.Tests.Resources.Keyed;

/// <summary>
/// The policy of a key is user code: the pool reads its hooks under no lock (I25), and a failure costs no capacity.
/// </summary>
public sealed class PoliciesOfKeys
{
    [Fact]
    public async Task The_hooks_of_a_policy_are_read_under_no_lock_of_the_pool()
    {
        var reads = 0;
        KeyedResourcePool<int, object> pool = null!;
        await using var __ = pool = NewPool(_ => new Policy(() =>
        {
            reads++;
            Assert.True(Background.CanDo(() => pool.GetStatistics()), "The hooks are read under a lock.");
        }));

        (await pool.RentAsync(1, TestContext.Current.CancellationToken)).Dispose();
        Assert.NotEqual(0, reads);
    }

    [Fact]
    public async Task A_policy_whose_hooks_cannot_be_read_fails_only_its_callers()
    {
        await using var pool = NewPool(static key => new Policy(() =>
        {
            if (key == 1)
            {
                throw new InvalidOperationException("It has no hooks.");
            }
        }));

        await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await pool.RentAsync(1, TestContext.Current.CancellationToken));
        Assert.Equal(0, pool.KeyCount);

        // The capacity of the pool is one item, which the second key must get from the first.
        (await pool.RentAsync(2, TestContext.Current.CancellationToken)).Dispose();
        (await pool.RentAsync(3, TestContext.Current.CancellationToken)).Dispose();
        Assert.Equal((2L, 1L), (pool.GetStatistics().Created, pool.GetStatistics().Live));
    }

    private static KeyedResourcePool<int, object> NewPool(Func<int, ResourcePolicy<object>> policy) => new(
        policy, new KeyedResourcePoolOptions<int> { MaxSize = 1, Pool = new ResourcePoolOptions { MaxSize = 1 } });

    private sealed class Policy(Action read) : ResourcePolicy<object>
    {
        public override ResourceHooks Hooks
        {
            get
            {
                read();
                return ResourceHooks.None;
            }
        }

        public override ValueTask<object> CreateAsync(CancellationToken cancellationToken) => new(new object());
    }
}
