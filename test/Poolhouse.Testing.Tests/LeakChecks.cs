using System.Buffers;
using System.Runtime.CompilerServices;

namespace Poolhouse.Testing.Tests;

/// <summary>
/// A check of a whole run finds items rented outside of scopes and not returned at the end, and pools that were not disposed.
/// </summary>
// Alone, like the leak scopes: it covers every flow of the process.
[Collection(nameof(Leaks))]
public sealed class LeakChecks
{
    [Fact]
    public void A_pool_that_is_not_disposed_is_found_with_its_site()
    {
        var check = new LeakCheck();
        using var pool = CreateHere("forgotten");

        var leak = Assert.Single(Assert.Throws<LeakException>(check.Dispose).Leaks);

        Assert.Equal((LeakKind.Pool, "forgotten"), (leak.Kind, leak.PoolName));
        Assert.Contains(nameof(CreateHere), leak.Site!.ToString(), StringComparison.Ordinal);
        Assert.StartsWith("Pool 'forgotten' was not disposed; it was created ", leak.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_pool_that_is_garbage_by_now_is_found_too()
    {
        var check = new LeakCheck();
        var forgotten = Forget();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        Assert.False(forgotten.IsAlive);
        Assert.Equal("garbage", Assert.Single(Assert.Throws<LeakException>(check.Dispose).Leaks).PoolName);
    }

    [Fact]
    public void An_item_that_is_not_returned_is_found_with_its_site()
    {
        var check = new LeakCheck();
        using var pool = CreateHere("objects");
        var item = RentHere(pool);

        var leak = Assert.Single(check.FindLeaks(), static leak => leak.Kind == LeakKind.Item);

        Assert.Equal("objects", leak.PoolName);
        Assert.StartsWith("Pool 'objects': an item was not returned; it was rented ", leak.ToString(), StringComparison.Ordinal);
        Assert.Contains(nameof(RentHere), leak.Site!.ToString(), StringComparison.Ordinal);
        pool.Return(item);
        pool.Dispose();
        check.Dispose();
    }

    [Fact]
    public async Task What_a_flow_rents_after_the_end_of_its_scope_is_found()
    {
        var check = new LeakCheck();
        using var pool = CreateHere("objects");
        var scopeEnded = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<object> service;
        using (new LeakScope())
        {
            service = RentAfterAsync(scopeEnded.Task);
        }

        scopeEnded.SetResult();
        var item = await service;

        Assert.Single(check.FindLeaks(), static leak => leak.Kind == LeakKind.Item);
        pool.Return(item);
        pool.Dispose();
        check.Dispose();

        async Task<object> RentAfterAsync(Task end)
        {
            await end;
            return pool.Get();
        }
    }

    [Fact]
    public void What_is_rented_after_scopes_that_ended_in_the_order_of_their_beginning_is_found()
    {
        var check = new LeakCheck();
        using var pool = CreateHere("objects");
        var outer = new LeakScope();
        var inner = new LeakScope();
        outer.Dispose();
        inner.Dispose();

        var item = pool.Get();

        Assert.Single(check.FindLeaks(), static leak => leak.Kind == LeakKind.Item);
        pool.Return(item);
        pool.Dispose();
        check.Dispose();
    }

    [Fact]
    public async Task Nothing_is_found_if_everything_was_returned_and_disposed()
    {
        using var check = new LeakCheck();
        using var pool = CreateHere("objects");
        pool.Return(RentHere(pool));
        await using var resources = ResourcePool.Create(
            static _ => ValueTask.FromResult(new object()), new ResourcePoolOptions { MaxSize = 1 });
        await (await resources.RentAsync(TestContext.Current.CancellationToken)).DisposeAsync();
        var array = ArrayPool<int>.Shared.Rent(1000);
        ArrayPool<int>.Shared.Return(array);
        pool.Dispose();
        await resources.DrainAsync(TestContext.Current.CancellationToken);

        Assert.Empty(check.FindLeaks());
    }

    [Fact]
    public void A_disposed_stream_pool_in_paranoid_mode_leaves_no_array_pool()
    {
        using var check = new LeakCheck();
        var pool = new StreamPool(new StreamPoolOptions { Name = "streams", Paranoid = ParanoidMode.Report });
        using (var stream = pool.Rent())
        {
            stream.Write(new byte[5000]);
            Assert.Equal(2, check.FindLeaks().Count(static leak => leak.Kind == LeakKind.Pool));
            pool.Dispose();
            Assert.DoesNotContain(check.FindLeaks(), static leak => leak.Kind == LeakKind.Pool);
            stream.Write(new byte[100_000]);
        }

        Assert.Empty(check.FindLeaks());
    }

    [Fact]
    public void Pools_of_the_whole_process_are_exempt()
    {
        using var check = new LeakCheck();
        var arrays = TieredArrayPool<Unused>.Shared;
        arrays.Return(arrays.Rent(10));
        StreamPool.Shared.Rent().Dispose();

        Assert.Empty(check.FindLeaks());
    }

    [Fact]
    public void Pools_from_before_the_check_are_not_covered()
    {
        LeakScope.Enable();
        using var before = CreateHere("before");
        using var check = new LeakCheck();

        Assert.Empty(check.FindLeaks());
    }

    [Fact]
    public async Task Rents_of_all_flows_are_found_unless_they_belong_to_a_scope()
    {
        var check = new LeakCheck();
        using var pool = CreateHere("objects");
        var scope = new LeakScope();
        var scoped = pool.Get();
        Task<object>[] others;
        using (ExecutionContext.SuppressFlow())
        {
            // Parallel tests, whose flows do not belong to the scope.
            others = [.. Enumerable.Range(0, 8).Select(_ => Task.Run(pool.Get, TestContext.Current.CancellationToken))];
        }

        var foreign = await Task.WhenAll(others);
        Assert.Equal(8, check.FindLeaks().Count(static leak => leak.Kind == LeakKind.Item));
        Array.ForEach(foreign, pool.Return);

        Assert.Single(scope.FindLeaks());
        Assert.DoesNotContain(check.FindLeaks(), static leak => leak.Kind == LeakKind.Item);
        pool.Return(scoped);
        scope.Dispose();
        pool.Dispose();
        check.Dispose();
    }

    [Fact]
    public void A_check_reports_once()
    {
        var check = new LeakCheck();
        using var pool = CreateHere("forgotten");

        Assert.Throws<LeakException>(check.Dispose);
        check.Dispose();
    }

    // Otherwise each would report the pools of the other, and the rents of the first would belong to neither.
    [Fact]
    public void A_second_check_at_the_same_time_is_refused_and_one_after_the_other_is_not()
    {
        using (new LeakCheck())
        {
            Assert.Throws<InvalidOperationException>(static () => new LeakCheck());
        }

        new LeakCheck().Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static TieredObjectPool<object> CreateHere(string name) =>
        new(static () => new object(), options: new ObjectPoolOptions { Name = name });

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object RentHere(TieredObjectPool<object> pool) => pool.Get();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Forget() => new(CreateHere("garbage"));

    /// <summary>No other test uses the shared pool of this type.</summary>
    private struct Unused;
}
