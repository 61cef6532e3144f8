
namespace Poolhouse.Tests.Resources;

public sealed class Destruction
{
    [Fact]
    public void The_capacity_is_held_until_the_item_is_destroyed()
    {
        var bench = new Workbench();
        var destructions = new Gate<bool>();
        bench.Policy.Destroys = async (_, _) => await destructions.WaitAsync();
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        lease.Discard();
        bench.Run();
        Assert.Equal((1, 1), (bench.Now.Live, bench.Now.Destroying));
        Assert.False(waiting.IsCompleted);

        destructions.Release(true);
        bench.Run();

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal(1, bench.Now.PeakLive);
    }

    [Fact]
    public void A_destruction_that_hangs_releases_its_capacity_at_its_deadline()
    {
        var bench = new Workbench();
        var recorder = new Recorder();
        var destructions = new Gate<bool>();
        bench.Options.Observer = recorder;
        bench.Policy.Destroys = async (_, _) => await destructions.WaitAsync();
        bench.Rent().Discard();
        bench.Run();
        bench.Advance(5);

        Assert.Equal((0, 1L, 1L), (bench.Now.Live, bench.Now.Abandoned, bench.Now.DestroyFailures));
        Assert.IsType<TimeoutException>(Assert.Single(recorder.Of<ItemDestroyedArgs>()).Failure);
        bench.Rent();
    }

    [Fact]
    public void The_failure_of_an_abandoned_destruction_names_the_time_limit_with_which_it_began()
    {
        var bench = new Workbench();
        var recorder = new Recorder();
        bench.Options.Observer = recorder;
        bench.Options.DestroyTimeout = Workbench.Seconds(2);
        bench.Policy.Destroys = static (_, _) => new ValueTask(new TaskCompletionSource().Task);
        bench.Rent().Discard();
        bench.Run();
        bench.Options.DestroyTimeout = Workbench.Seconds(60);
        bench.Pool.Reconfigure(bench.Options);

        bench.Advance(2.1);

        var failure = Assert.Single(recorder.Of<ItemDestroyedArgs>()).Failure;
        Assert.Contains("DestroyTimeout (00:00:02)", failure!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_exception_of_a_destruction_is_counted_and_ignored()
    {
        var bench = new Workbench();
        bench.Policy.Destroys = (_, _) => throw new InvalidOperationException();
        bench.Rent().Discard();
        bench.Run();

        Assert.Equal((0, 1L), (bench.Now.Live, bench.Now.DestroyFailures));
    }

    [Fact]
    public void A_detached_item_is_not_destroyed_and_its_capacity_is_released()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();

        Assert.Equal(1, lease.Detach().Number);
        bench.Run();
        bench.Pool.Dispose();

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Empty(bench.Policy.Destroyed);
        Assert.Equal(1, bench.Now.Detached);
        Assert.Throws<ObjectDisposedException>(() => lease.Detach());
        bench.AssertBalanced();
    }

    [Theory]
    [InlineData(typeof(DisposableItem))]
    [InlineData(typeof(AsyncDisposableItem))]
    public async Task By_default_an_item_is_disposed(Type type)
    {
        var item = Activator.CreateInstance(type)!;
        await using var pool = ResourcePool.Create(_ => new ValueTask<object>(item), new ResourcePoolOptions { MaxSize = 1 });
        (await pool.RentAsync()).Dispose();

        await pool.DisposeAsync();

        Assert.Equal(1, item is DisposableItem disposable ? disposable.Disposals : ((AsyncDisposableItem)item).Disposals);
    }
}
