using System.Runtime.CompilerServices;
using Poolhouse.Testing;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>Streams that were never disposed.</summary>
[Collection(nameof(Alone))]
public sealed class LeakedStreams
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly ManualTimeProvider _clock = new();
    private readonly StreamRecorder _events = new();
    private readonly StreamPool _pool;

    public LeakedStreams() => _pool = StreamPools.Make(_arrays, change: options =>
    {
        options.Observer = _events;
        options.TimeProvider = _clock;
    });

    [Fact]
    public void The_observer_is_notified_of_a_leaked_stream()
    {
        Forget("the forgotten one");
        _clock.Advance(TimeSpan.FromMinutes(3));
        Collect();

        var leaked = Assert.Single(_events.Of<StreamLeakedArgs>());
        Assert.Equal((_pool, "the forgotten one"), (leaked.Pool, leaked.Tag));
        Assert.Equal(TimeSpan.FromMinutes(3), leaked.LeasedFor);
        Assert.Null(leaked.RentedAt);
        Assert.Empty(_events.Of<StreamReturnedArgs>());
    }

    [Fact]
    public void The_call_site_of_the_rent_is_reported_if_tracked()
    {
        using var pool = StreamPools.Make(_arrays, change: options =>
        {
            options.Observer = _events;
            options.TrackLeases = true;
        });
        Forget("x", pool);
        Collect();

        var frames = Assert.Single(_events.Of<StreamLeakedArgs>()).RentedAt!.GetFrames();
        Assert.Equal(nameof(Forget), System.Diagnostics.DiagnosticMethodInfo.Create(frames[0])!.Name);
        Assert.DoesNotContain(
            frames,
            frame => System.Diagnostics.DiagnosticMethodInfo.Create(frame)!.DeclaringAssemblyName.StartsWith(
                "System.", StringComparison.Ordinal));
    }

    [Fact]
    public void The_blocks_of_a_leaked_stream_are_never_returned()
    {
        var block = Forget("x");
        Collect();
        var all = Enumerable.Range(4, 6).SelectMany(power => _arrays.RentMany(50, 1 << power)).ToList();

        Assert.DoesNotContain(all, array => ReferenceEquals(array, block));
        Assert.Equal(0, _arrays.GetStatistics().Returned);
    }

    [Fact]
    public void Disposed_streams_are_never_reported()
    {
        UseManyTimes();
        Collect();

        Assert.Empty(_events.Of<StreamLeakedArgs>());
    }

    [Fact]
    public void A_leaked_stream_is_reported_although_its_body_was_reused_many_times()
    {
        UseManyTimes();
        Forget("at last");
        Collect();

        Assert.Equal("at last", Assert.Single(_events.Of<StreamLeakedArgs>()).Tag);
    }

    [Fact]
    public void A_leaked_stream_does_not_keep_its_pool_alive()
    {
        var pool = ForgetPool();
        Collect();
        Collect();

        Assert.False(pool.IsAlive);
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ForgetPool()
    {
        var pool = StreamPools.Make();
        pool.Rent().WriteByte(1);
        pool.RentWith([1]).Dispose();
        return new WeakReference(pool);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte[] Forget(string tag, StreamPool? pool = null)
    {
        var stream = (pool ?? _pool).Rent(tag);
        stream.WriteByte(1);
        return stream.GetBuffer();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void UseManyTimes()
    {
        for (var i = 0; i < 100; i++)
        {
            _pool.RentWith([1, 2]).Dispose();
        }
    }
}
