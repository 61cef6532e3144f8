
namespace Poolhouse.Stress;

/// <summary>
/// Many callers on the children of a few parents that break, are cleared and grow old, while the pool is trimmed.
/// </summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class NestedResourcePoolStressTests(ITestOutputHelper output)
{
    private const int MaxParents = 3;
    private const int MaxPerParent = 3;
    private const int MaxChildren = 5;

    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(30);

    private readonly StressRun _run = new(output);

    [Fact]
    public async Task Every_child_has_one_user_both_bounds_hold_and_all_counts_return_to_zero()
    {
        var (parents, children) = (new ParentPolicy(), new ChildPolicy());
        var pool = new NestedResourcePool<Parent, Child>(parents, children, new NestedResourcePoolOptions
        {
            ParentPool = new ResourcePoolOptions { MaxSize = MaxParents, MaxLifetime = TimeSpan.FromSeconds(1) },
            ChildPool = new ResourcePoolOptions
            {
                MaxSize = MaxChildren,
                RetryDelay = TimeSpan.FromMilliseconds(1),
                MaxRetryDelay = TimeSpan.FromMilliseconds(8),
            },
            MaxChildrenPerParent = MaxPerParent,
        });

        _run.Run(8, random =>
        {
            switch (random.Next(400))
            {
                case 0:
                    pool.Clear();
                    break;
                case 1:
                    pool.Trim();
                    break;
                default:
                    Use(pool, random);
                    break;
            }

            Assert.InRange(pool.GetStatistics().Live, 0, MaxChildren);
            Assert.InRange(pool.GetParentStatistics().Live, 0, MaxParents);
        });

        Assert.True(SpinWait.SpinUntil(
            () => pool.GetStatistics() is { Leased: 0 } now && now.Live == now.Idle && pool.GetChildCounts().Sum() == now.Live,
            _limit));
        await pool.DrainAsync().WaitAsync(_limit);
        Assert.Equal((parents.Made, children.Made), (parents.Destroyed, children.Destroyed + pool.GetStatistics().Detached));
        Assert.Equal(0, parents.DestroyedWithChildren);
        output.WriteLine($"{pool.GetStatistics().Rented:N0} rents, {children.Made:N0} children on {parents.Made:N0} parents");
    }

    private static void Use(NestedResourcePool<Parent, Child> pool, Random random)
    {
        using var lease = random.Next(2) == 0 && pool.TryRent(out var tried) ? tried : pool.Rent(_limit);
        var child = lease.Value;
        Assert.Equal(1, child.Enter());
        Assert.False(child.IsDestroyed);
        var what = random.Next(200);
        switch (what)
        {
            case 0:
                child.Parent.IsBroken = true;
                break;
            case 1:
                pool.Invalidate(lease);
                break;
        }

        child.Leave();
        switch (what)
        {
            case 2:
                lease.Discard();
                break;
            case 3:
                // Counted in advance: afterwards, the parent may be destroyed or get another child.
                child.Parent.ChildGone();
                lease.Detach();
                break;
            case 4:
                lease.Taint();
                break;
        }
    }

    private sealed class Parent
    {
        private int _children;

        public bool IsBroken { get; set; }

        public int Children => Volatile.Read(ref _children);

        public void ChildMade() => Assert.InRange(Interlocked.Increment(ref _children), 1, MaxPerParent);

        public void ChildGone() => Interlocked.Decrement(ref _children);
    }

    private sealed class Child(Parent parent)
    {
        private int _users;

        public Parent Parent { get; } = parent;

        public bool IsDestroyed { get; set; }

        public int Enter() => Interlocked.Increment(ref _users);

        public void Leave() => Interlocked.Decrement(ref _users);
    }

    private sealed class ParentPolicy : ResourcePolicy<Parent>
    {
        private long _made;
        private long _destroyed;
        private long _withChildren;

        public long Made => Volatile.Read(ref _made);

        public long Destroyed => Volatile.Read(ref _destroyed);

        public long DestroyedWithChildren => Volatile.Read(ref _withChildren);

        public override ValueTask<Parent> CreateAsync(CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _made);
            return new ValueTask<Parent>(new Parent());
        }

        public override bool IsBroken(Parent item) => item.IsBroken;

        public override ValueTask DestroyAsync(Parent item, DestroyReason reason)
        {
            Interlocked.Add(ref _withChildren, item.Children > 0 ? 1 : 0);
            Interlocked.Increment(ref _destroyed);
            return default;
        }
    }

    private sealed class ChildPolicy : NestedPolicy<Parent, Child>
    {
        private long _made;
        private long _destroyed;

        public long Made => Volatile.Read(ref _made);

        public long Destroyed => Volatile.Read(ref _destroyed);

        public override async ValueTask<Child> CreateAsync(Parent parent, CancellationToken cancellationToken)
        {
            await Task.Yield();
            if (parent.IsBroken)
            {
                throw new IOException("The parent is broken.");
            }

            parent.ChildMade();
            Interlocked.Increment(ref _made);
            return new Child(parent);
        }

        public override ValueTask DestroyAsync(Child item, DestroyReason reason)
        {
            item.IsDestroyed = true;
            item.Parent.ChildGone();
            Interlocked.Increment(ref _destroyed);
            return default;
        }
    }
}
