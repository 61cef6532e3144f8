using Poolhouse.Workers;

namespace Poolhouse.Tests.Resources;

/// <summary>Pools and policies that are created from delegates.</summary>
public sealed class ShortForms
{
    private int _numbers;

    [Fact]
    public async Task A_pool_is_created_from_a_delegate_and_options()
    {
        using var exclusive = ResourcePool.Create(NewAsync, Each());
        using var workers = WorkerPool.Create(() => new Part(7), new WorkerPoolOptions { MaxWorkers = 1 });

        using var lease = await exclusive.RentAsync();
        Assert.Equal(1, lease.Value.Number);
        Assert.Equal(7, await workers.RunAsync(part => part.Number));
    }

    [Fact]
    public async Task The_delegates_of_a_policy_are_its_hooks()
    {
        var calls = new List<string>();
        var policy = ResourcePolicy.Create(
            NewAsync, Note<Part>(calls, "reset"), Note<Part>(calls, "validate"), part => IsBroken(calls, part),
            part => Destroy(calls, part));
        await using (var pool = new ResourcePool<Part>(policy, Checked()))
        {
            (await pool.RentAsync()).Dispose();
            Background.Until(() => pool.GetStatistics().Idle == 1);
            (await pool.RentAsync()).Dispose();
        }

        Assert.Equal(["broken", "destroy", "reset", "validate"], calls.Distinct().Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task The_delegates_of_a_policy_of_children_are_its_hooks()
    {
        var calls = new List<string>();
        var policy = NestedPolicy.Create<Part, Part>(
            (_, token) => NewAsync(token), Note<Part>(calls, "reset"), Note<Part>(calls, "validate"),
            part => IsBroken(calls, part), part => Destroy(calls, part));
        var options = new NestedResourcePoolOptions { ParentPool = Each(), ChildPool = Checked() };
        await using (var pool = new NestedResourcePool<Part, Part>(ResourcePolicy.Create(NewAsync), policy, options))
        {
            (await pool.RentAsync()).Dispose();
            Background.Until(() => pool.GetStatistics().Idle == 1);
            (await pool.RentAsync()).Dispose();
        }

        Assert.Equal(["broken", "destroy", "reset", "validate"], calls.Distinct().Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task The_delegates_of_a_policy_of_workers_are_its_hooks()
    {
        var calls = new List<string>();
        var policy = WorkerPolicy.Create(() => new Part(++_numbers), part => IsBroken(calls, part), _ => calls.Add("destroy"));
        await using (var pool = new WorkerPool<Part>(policy, new WorkerPoolOptions { MaxWorkers = 1 }))
        {
            await pool.RunAsync(static _ => { });
        }

        Assert.Equal(["broken", "destroy"], calls);
    }

    [Fact]
    public async Task A_hook_without_a_delegate_does_what_a_policy_that_does_not_override_it_does()
    {
        var item = new Part(1);
        var policies =
            (Own: ResourcePolicy.Create(NewAsync), OfChildren: NestedPolicy.Create<Part, Part>((_, token) => NewAsync(token)));

        Assert.False(policies.Own.IsBroken(item) || policies.OfChildren.IsBroken(item));
        Assert.True(await policies.Own.ResetAsync(item, CancellationToken.None)
            && await policies.OfChildren.ResetAsync(item, CancellationToken.None));
        Assert.True(await policies.Own.ValidateAsync(item, default, CancellationToken.None));
        Assert.True(await policies.OfChildren.ValidateAsync(item, default, CancellationToken.None));
    }

    [Fact]
    public void A_missing_delegate_is_named()
    {
        Assert.Throws<ArgumentNullException>("create", () => ResourcePolicy.Create<Part>(null!));
        Assert.Throws<ArgumentNullException>("create", () => NestedPolicy.Create<Part, Part>(null!));
        Assert.Throws<ArgumentNullException>("create", () => WorkerPolicy.Create<Part>(null!));
        Assert.Throws<ArgumentNullException>("create", () => ResourcePool.Create<Part>(null!, Each()));
        Assert.Throws<ArgumentNullException>("options", () => ResourcePool.Create(NewAsync, null!));
    }

    private static ResourcePoolOptions Each() => new() { MaxSize = 1 };

    private static ResourcePoolOptions Checked() => new() { MaxSize = 1, ValidateAfterIdle = TimeSpan.Zero, AwaitReset = true };

    private static Func<TItem, CancellationToken, ValueTask<bool>> Note<TItem>(List<string> calls, string call) => (_, _) =>
    {
        calls.Add(call);
        return new ValueTask<bool>(result: true);
    };

    private static bool IsBroken(List<string> calls, Part part)
    {
        calls.Add("broken");
        return part.Number < 0;
    }

    private static ValueTask Destroy(List<string> calls, Part part)
    {
        calls.Add("destroy");
        part.IsBroken = true;
        return default;
    }

    private ValueTask<Part> NewAsync(CancellationToken cancellationToken) => new(new Part(++_numbers));
}
