
namespace Poolhouse.Tests.Resources;

public sealed class Maintenance
{
    [Fact]
    public void Idle_items_are_destroyed_longest_idle_first_down_to_the_minimum()
    {
        var bench = new Workbench(4);
        bench.Options.MinIdle = 1;
        bench.Options.IdleTimeout = Workbench.Seconds(60);
        var leases = bench.Rent(4);
        foreach (var lease in leases)
        {
            bench.Return(lease);
            bench.Advance(10);
        }

        bench.Advance(20);
        Assert.Equal([1], bench.Policy.Destroyed.Select(gone => gone.Part.Number));
        bench.Advance(300);

        Assert.Equal([1, 2, 3], bench.Policy.Destroyed.Select(gone => gone.Part.Number));
        Assert.All(bench.Policy.Destroyed, gone => Assert.Equal(DestroyReason.Idle, gone.Reason));
        Assert.Equal((1, 4L), (bench.Now.Idle, bench.Now.Created));
    }

    [Fact]
    public void The_idle_time_goes_on_during_a_keep_alive()
    {
        var bench = new Workbench();
        bench.Options.IdleTimeout = Workbench.Seconds(15);
        bench.Options.KeepAliveInterval = Workbench.Seconds(10);
        bench.Options.ValidateTimeout = Workbench.Seconds(60);
        bench.Policy.KeepsAlive = static (_, _) => default;
        bench.Fill(1);
        bench.Advance(10);
        Assert.Equal(1, bench.Now.Idle);

        bench.Advance(5);

        Assert.Equal((0, 1L), (bench.Now.Idle, bench.Now.DestroyedFor(DestroyReason.Idle)));
    }

    [Fact]
    public void The_idle_time_goes_on_during_a_validation()
    {
        var bench = new Workbench();
        bench.Options.IdleTimeout = Workbench.Seconds(15);
        bench.Options.ValidateTimeout = Workbench.Seconds(60);
        var validations = new Gate<bool>();
        bench.Policy.Validates = (_, _, token) => validations.WaitAsync(token);
        bench.Fill(1);
        bench.Advance(0.5);
        bench.Return(bench.Rent());
        bench.Advance(14.4);

        // During the check at 15 s.
        Assert.False(bench.Pool.TryRent(out _));
        bench.Advance(0.2);
        validations.Release(true);
        bench.Run();
        Assert.Equal(1, bench.Now.Idle);
        bench.Advance(0.5);

        Assert.Equal((0, 1L), (bench.Now.Idle, bench.Now.DestroyedFor(DestroyReason.Idle)));
    }

    [Fact]
    public void A_leased_item_does_not_expire_until_it_is_returned()
    {
        var bench = new Workbench();
        bench.Options.IdleTimeout = Workbench.Seconds(10);
        bench.Options.MaxLifetime = Workbench.Seconds(20);
        var lease = bench.Rent();
        bench.Advance(100);
        Assert.True(lease.IsActive);
        Assert.Empty(bench.Policy.Destroyed);

        bench.Return(lease);

        Assert.Equal(DestroyReason.Lifetime, Assert.Single(bench.Policy.Destroyed).Reason);
    }

    [Fact]
    public void An_idle_item_is_destroyed_when_its_lifetime_ends()
    {
        var bench = new Workbench();
        bench.Options.MaxLifetime = Workbench.Seconds(20);
        bench.Fill(1);
        bench.Advance(19);
        Assert.Equal(1, bench.Now.Idle);

        bench.Advance(1);

        Assert.Equal((0, 1L), (bench.Now.Live, bench.Now.DestroyedFor(DestroyReason.Lifetime)));
    }

    [Fact]
    public void The_minimum_is_filled_from_the_start_and_after_a_loss()
    {
        var bench = new Workbench(5);
        bench.Options.MinIdle = 3;
        bench.Run();
        Assert.Equal((3, 3L), (bench.Now.Idle, bench.Now.Created));

        bench.Rent().Discard();
        bench.Run();
        Assert.Equal(3, bench.Now.Idle);
        Assert.Equal(3, bench.Pool.Trim());
        bench.Run();

        Assert.Equal((3, 7L), (bench.Now.Idle, bench.Now.Created));
    }

    [Fact]
    public void A_burst_of_rents_does_not_make_the_pool_grow_beyond_what_the_minimum_needs()
    {
        var bench = new Workbench(10);
        bench.Options.MinIdle = 2;
        bench.Run();
        for (var i = 0; i < 100; i++)
        {
            bench.Return(bench.Rent(2));
        }

        Assert.Equal(2, bench.Now.Live);
    }

    [Fact]
    public void A_minimum_as_large_as_the_pool_is_kept()
    {
        var bench = new Workbench(2);
        bench.Options.MinIdle = 2;
        bench.Options.MaxLifetime = Workbench.Seconds(100);
        bench.Options.IdleTimeout = Workbench.Seconds(10);
        bench.Advance(1000);

        Assert.Equal((2, 2L), (bench.Now.Idle, bench.Now.PeakLive));
        Assert.True(bench.Now.DestroyedFor(DestroyReason.Lifetime) >= 18);
        bench.AssertBalanced();
    }

    [Fact]
    public void If_capacity_permits_a_replacement_is_created_before_the_old_item_is_destroyed()
    {
        var bench = new Workbench(4);
        bench.Options.MinIdle = 1;
        bench.Options.MaxLifetime = Workbench.Seconds(100);
        bench.Run();
        var least = int.MaxValue;
        for (var second = 0; second < 500; second++)
        {
            bench.Advance(1);
            least = Math.Min(least, bench.Now.Idle);
        }

        Assert.Equal((1, 2L), (least, bench.Now.PeakLive));
    }

    [Fact]
    public void Idle_items_are_kept_alive_periodically()
    {
        var bench = new Workbench(2);
        var kept = new List<(int, double)>();
        bench.Options.KeepAliveInterval = Workbench.Seconds(10);
        bench.Options.IdleTimeout = Workbench.Seconds(35);
        bench.Policy.KeepsAlive = (part, _) =>
        {
            kept.Add((part.Number, Math.Round(bench.Clock.GetTimestamp() / (double)TimeSpan.TicksPerSecond)));
            return default;
        };
        bench.Return(bench.Rent());

        for (var second = 0; second < 60; second++)
        {
            bench.Advance(1);
        }

        // A keep-alive is not a use: the item stays idle and is destroyed.
        Assert.Equal([(1, 10), (1, 20), (1, 30)], kept);
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.Idle));
    }

    [Fact]
    public void An_item_just_kept_alive_is_not_validated()
    {
        var bench = new Workbench();
        bench.Options.KeepAliveInterval = Workbench.Seconds(10);
        bench.Policy.KeepsAlive = (_, _) => default;
        bench.Policy.Validates = (_, _, _) => throw new InvalidOperationException();
        bench.Fill(1);
        bench.Advance(10);

        Assert.True(bench.Pool.TryRent(out _));
    }

    [Fact]
    public void A_keep_alive_that_hangs_destroys_the_item_and_releases_its_capacity()
    {
        var bench = new Workbench();
        var pings = new Gate<bool>();
        bench.Options.KeepAliveInterval = Workbench.Seconds(10);
        bench.Policy.KeepsAlive = async (_, token) => await pings.WaitAsync(token);
        bench.Fill(1);
        bench.Advance(15.2);

        Assert.Equal((0, 1L), (bench.Now.Live, bench.Now.DestroyedFor(DestroyReason.KeepAliveFailed)));
    }

    [Fact]
    public void Keep_alives_run_a_few_at_a_time_and_reach_all_items()
    {
        var bench = new Workbench(20);
        var pings = new Gate<bool>();
        bench.Options.KeepAliveInterval = Workbench.Seconds(10);
        bench.Policy.KeepsAlive = async (_, token) => await pings.WaitAsync(token);
        bench.Fill(20);
        bench.Advance(11);
        Assert.Equal((4, 16), (bench.Now.Validating, bench.Now.Idle));

        for (var i = 0; i < 20; i++)
        {
            pings.Release(true);
            bench.Advance(0.1);
        }

        Assert.Equal((0, 20), (bench.Now.Validating, bench.Now.Idle));
        Assert.Equal(20, pings.Calls);
    }

    [Fact]
    public void A_caller_does_not_wait_for_keep_alives_that_hang()
    {
        var bench = new Workbench(10);
        var pings = new Gate<bool>();
        bench.Options.KeepAliveInterval = Workbench.Seconds(10);
        bench.Policy.KeepsAlive = async (_, token) => await pings.WaitAsync(token);
        bench.Fill(3);
        bench.Advance(10.1);
        Assert.Equal((3, 0), (bench.Now.Validating, bench.Now.Idle));

        _ = bench.Rent();

        Assert.Equal(4, bench.Now.Created);
    }

    [Fact]
    public void A_long_lease_is_reported_without_a_site_unless_leases_are_tracked()
    {
        var bench = new Workbench();
        var recorder = new Recorder();
        bench.Options.Observer = recorder;
        bench.Options.LeakThreshold = Workbench.Seconds(10);
        bench.Return(bench.Rent());
        bench.Advance(5);
        var lease = bench.Rent();
        bench.Advance(9);
        Assert.Empty(recorder.Of<LeakSuspectedArgs>());
        bench.Advance(1);
        Assert.Null(Assert.Single(recorder.Of<LeakSuspectedArgs>()).RentedAt);

        // The next lease of the same item is suspected separately.
        bench.Return(lease);
        _ = bench.Rent();
        bench.Advance(11);
        Assert.Equal(2, recorder.Of<LeakSuspectedArgs>().Count);
    }

    [Theory]
    [InlineData(false, null)]
    [InlineData(true, "/orders")]
    public void A_suspected_leak_has_the_label_of_its_lease_if_the_pool_records_labels(bool records, string? expected)
    {
        var bench = new Workbench();
        var recorder = new Recorder();
        (bench.Options.Observer, bench.Options.LabelLeases, bench.Options.LeakThreshold) =
            (recorder, records, Workbench.Seconds(10));
        using var label = LeaseLabel.Use("/orders");
        using var lease = bench.Rent();
        bench.Advance(11);

        Assert.Equal(expected, Assert.Single(recorder.Of<LeakSuspectedArgs>()).Label);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_call_site_of_a_suspected_leak_shows_only_frames_of_the_program(bool waits)
    {
        var bench = new Workbench();
        var recorder = new Recorder();
        bench.Options.Observer = recorder;
        bench.Options.TrackLeases = true;
        bench.Options.LeakThreshold = Workbench.Seconds(10);
        if (!waits)
        {
            bench.Fill(1);
        }

        // Below the caller are the frames of a continuation on the thread pool; above it, those of the pool. Asynchronous,
        // because the JIT may compile a plain call at the end to a jump, which leaves no frame.
        await Task.Run(async () => await bench.RequestAsync());
        bench.Advance(11);

        var site = Assert.Single(recorder.Of<LeakSuspectedArgs>()).RentedAt!;
        var frames = site.GetFrames().Select(static frame => frame.GetMethod()!).ToList();
        Assert.Equal(nameof(Workbench.RequestAsync), frames[0].Name);
        Assert.All(frames, static method =>
        {
            var assembly = method.DeclaringType!.Assembly.GetName().Name!;
            Assert.False(
                assembly is "Poolhouse" || assembly.StartsWith("System.", StringComparison.Ordinal),
                $"A frame of {assembly} is shown.");
        });
        Assert.InRange(frames.Count, 2, 5);
    }

    [Fact]
    public void A_lease_that_begins_while_the_last_one_is_reported_can_be_reported_itself()
    {
        var bench = new Workbench();
        var recorder = new Recorder();
        bench.Options.Observer = recorder;
        bench.Options.LeakThreshold = Workbench.Seconds(10);
        for (var lease = 1; lease <= 3; lease++)
        {
            var held = bench.Rent();
            bench.Advance(11);
            Assert.Equal(lease, recorder.Of<LeakSuspectedArgs>().Count);
            bench.Advance(20);
            Assert.Equal(lease, recorder.Of<LeakSuspectedArgs>().Count);
            bench.Return(held);
        }
    }
}
