using Poolhouse.Kernel.Debugging;
using Poolhouse.Streams.Blocks;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Tests.Kernel.Debugging;

/// <summary>The lines by which debuggers and logs show pools, leases and streams.</summary>
public sealed class DebuggerTexts
{
    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public void A_cache_shows_what_it_leased_and_what_it_retains()
    {
        var options = new ObjectPoolOptions { Name = "things" };
        using var pool = new TieredObjectPool<object>(static () => new object(), options: options);
        pool.Prefill(2);
        _ = pool.Rent();

        Assert.Equal("Pool 'things': 1 leased, 1 retained", pool.ToString());
        pool.Dispose();
        Assert.Equal("Pool 'things' (closed): 1 leased, 0 retained", pool.ToString());
    }

    [Fact]
    public async Task A_resource_pool_shows_its_limit_its_idle_items_and_its_callers()
    {
        using var pool = ResourcePool.Create(static _ => ValueTask.FromResult(new Part(1)), Options("parts"));
        Assert.Equal("Pool 'parts': 0 of 1 leased, 0 idle, 0 waiting", pool.ToString());
        var lease = await pool.RentAsync();
        var waiting = pool.RentAsync().AsTask();
        Assert.Equal("Pool 'parts': 1 of 1 leased, 0 idle, 1 waiting", pool.ToString());
        await lease.DisposeAsync();
        await (await waiting).DisposeAsync();
        pool.Suspend();
        Assert.Equal("Pool 'parts': 0 of 1 leased, 1 idle, 0 waiting, suspended", pool.ToString());
        pool.Dispose();
        Assert.StartsWith("Pool 'parts' (closed): 0 of 1 leased", pool.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Pools_of_other_kinds_show_what_limits_them()
    {
        using var shared = new SharedResourcePool<Part>(
            ResourcePolicy.Create(static _ => ValueTask.FromResult(new Part(1))),
            new SharedResourcePoolOptions { Pool = Options("clients"), MaxUsesPerItem = 8 });
        using var workers = WorkerPool.Create(new WorkerPoolOptions { Name = "house", MaxWorkers = 3 });
        _ = shared.Rent();

        Assert.Equal("Pool 'clients': 1 of 8 leased, items: 1, 0 waiting", shared.ToString());
        Assert.Equal("Pool 'house': 0 of 3 workers busy, 0 waiting", workers.ToString());
    }

    [Fact]
    public async Task A_lease_shows_its_item_its_age_and_where_it_was_rented()
    {
        using var pool = ResourcePool.Create(static _ => ValueTask.FromResult(new Part(1)), Options("parts"));
        var lease = await pool.RentAsync();
        _clock.Advance(TimeSpan.FromSeconds(2));
        var view = new LeaseDebugView<Part>(lease);

        Assert.StartsWith("Lease of pool 'parts': item 1 for 2 s", lease.ToString(), StringComparison.Ordinal);
        Assert.Contains(nameof(DebuggerTexts), lease.ToString(), StringComparison.Ordinal);
        Assert.Equal(("parts", true, 1L), (view.Pool, view.IsActive, view.Lease?.ItemNumber));
        Assert.Same(lease.Value, view.Item);
        await lease.DisposeAsync();
        Assert.Equal("Lease of pool 'parts': ended", lease.ToString());
        Assert.Equal(("parts", false, null), (view.Pool, view.IsActive, view.Lease));
        Assert.Null(view.Item);
    }

    [Fact]
    public async Task A_lease_that_ended_does_not_show_the_next_user_of_the_item()
    {
        using var pool = ResourcePool.Create(static _ => ValueTask.FromResult(new Part(1)), Options("parts"));
        var ended = await pool.RentAsync();
        await ended.DisposeAsync();
        await using var next = await pool.RentAsync();

        Assert.Equal("Lease of pool 'parts': ended", ended.ToString());
        Assert.Null(new LeaseDebugView<Part>(ended).Item);
    }

    [Fact]
    public void A_lease_of_no_pool_has_ended()
    {
        Assert.Equal("Lease: ended", default(Lease<Part>).ToString());
        Assert.Equal("Lease of 0 elements: ended", default(BufferLease<byte>).ToString());
        Assert.Null(new LeaseDebugView<Part>(default).Pool);
    }

    [Fact]
    public void A_use_of_a_shared_item_shows_the_number_of_the_item()
    {
        using var shared = new SharedResourcePool<Part>(
            ResourcePolicy.Create(static _ => ValueTask.FromResult(new Part(1))),
            new SharedResourcePoolOptions { Pool = Options("clients"), MaxUsesPerItem = 8 });
        var first = shared.Rent();
        var second = shared.Rent();
        _clock.Advance(TimeSpan.FromSeconds(3));

        Assert.All(
            [first, second],
            static use => Assert.StartsWith("Lease of pool 'clients': item 1 for 3 s", use.ToString(), StringComparison.Ordinal));
        second.Dispose();
        Assert.Equal("Lease of pool 'clients': ended", second.ToString());
    }

    [Fact]
    public void A_child_shows_its_pool_and_its_age()
    {
        using var pool = new NestedResourcePool<Part, Part>(
            ResourcePolicy.Create(static _ => ValueTask.FromResult(new Part(1))),
            NestedPolicy.Create(static (Part _, CancellationToken _) => ValueTask.FromResult(new Part(2))),
            new NestedResourcePoolOptions { ParentPool = Options("parents"), ChildPool = Options("children") });
        var child = pool.Rent();
        _clock.Advance(TimeSpan.FromSeconds(4));

        Assert.Equal("Pool 'children': 1 of 1 leased, 0 idle, 0 waiting", pool.ToString());
        Assert.StartsWith("Lease of pool 'children': item 1 for 4 s", child.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_buffer_shows_since_when_it_is_rented_only_in_paranoid_mode()
    {
        using var quick = new TieredArrayPool<int>(new ArrayPoolOptions { Name = "quick", Paranoid = ParanoidMode.Off });
        using var paranoid = new TieredArrayPool<int>(
            new ArrayPoolOptions { Name = "frames", Paranoid = ParanoidMode.Throw, TimeProvider = _clock });
        var lease = paranoid.RentExact(100);
        _clock.Advance(TimeSpan.FromSeconds(5));

        Assert.Equal("Lease of 10 elements of pool 'quick': active", quick.RentExact(10).ToString());
        Assert.StartsWith("Lease of 100 elements of pool 'frames': item 1 for 5 s", lease.ToString(), StringComparison.Ordinal);
        var view = new Poolhouse.Buffers.BufferLeaseDebugView<int>(lease);
        Assert.Equal((100, "frames"), (view.Elements.Count, view.Pool));
        lease.Dispose();
        Assert.Equal((0, false), (view.Elements.Count, view.IsActive));
    }

    [Fact]
    public void A_stream_shows_its_tag_its_position_and_its_pool()
    {
        using var pool = new StreamPool(
            new StreamPoolOptions { Name = "streams", Paranoid = ParanoidMode.Throw, TimeProvider = _clock });
        var stream = pool.Rent("orders");
        stream.Write(new byte[30]);
        stream.Position = 10;
        _clock.Advance(TimeSpan.FromSeconds(6));
        var view = new StreamDebugView(stream);

        Assert.StartsWith(
            "PooledStream 'orders' at 10 of 30 bytes, of pool 'streams': item 1 for 6 s", stream.ToString(),
            StringComparison.Ordinal);
        Assert.Equal(("orders", 10L, 30L, pool), (view.Tag, view.Position, view.Length, view.Pool));
        stream.Dispose();
        Assert.Equal("PooledStream (disposed)", stream.ToString());
        Assert.Equal((true, null, null, null, null), (view.IsDisposed, view.Tag, view.Length, view.Pool, view.Lease));
    }

    [Fact]
    public void A_display_allocates_no_lease_and_counts_as_none()
    {
        using var pool = ResourcePool.Create(static _ => ValueTask.FromResult(new Part(1)), Options("parts"));
        var lease = pool.Rent();
        var before = pool.GetStatistics().ToString();

        _ = (pool.ToString(), lease.ToString(), new PoolDebugView(pool).OldestLeases);

        Assert.Equal(before, pool.GetStatistics().ToString());
        Assert.Equal(1, new PoolDebugView(pool).Statistics.Rented);
    }

    private ResourcePoolOptions Options(string name) =>
        new() { MaxSize = 1, Name = name, TrackLeases = true, TimeProvider = _clock };
}
