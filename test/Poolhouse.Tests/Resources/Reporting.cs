using System.Diagnostics.Metrics;

namespace Poolhouse.Tests.Resources;

/// <summary>Statistics, observers and metrics.</summary>
public sealed class Reporting
{
    [Fact]
    public async Task Statistics_count_each_event()
    {
        var bench = new Workbench(2);
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        var first = bench.RequestAsync();
        bench.Advance(2);
        creations.Release(bench.Policy.New());
        bench.Run();
        var lease = await first;
        bench.Advance(3);
        bench.Return(lease);
        bench.Return(lease);
        using var again = bench.Rent();
        bench.Advance(1);

        var now = bench.Now;
        Assert.Equal((2L, 1L, 1L, 1L), (now.Rented, now.Hits, now.Waits, now.Returned));
        Assert.Equal((1L, 1L, 0, 1, 1L), (now.Created, now.Leased, now.Idle, now.Live, now.DoubleReturns));
        Assert.Equal((Workbench.Seconds(2), Workbench.Seconds(2)), (now.WaitTime, now.CreateTime));
        Assert.Equal((Workbench.Seconds(3), Workbench.Seconds(1)), (now.UseTime, now.OldestLease));
        Assert.Equal(0, now.DestroyedFor((DestroyReason)99));
        bench.AssertBalanced();
    }

    [Fact]
    public async Task An_observer_is_notified_of_each_event_with_reason_and_duration()
    {
        var bench = new Workbench();
        var recorder = new Recorder();
        var creations = new Gate<Part>();
        bench.Options.Observer = recorder;
        bench.Options.RetryDelay = Workbench.Seconds(2);
        bench.Options.OutageTimeout = Workbench.Seconds(10);
        bench.Policy.Creates = creations.WaitAsync;
        var waiting = bench.RequestAsync();
        var failure = new InvalidOperationException("down");
        creations.Fail(failure);
        bench.Advance(1.1);
        bench.Advance(2);
        creations.Release(bench.Policy.New());
        bench.Run();
        (await waiting).Discard();
        bench.Run();

        Assert.Equal(
            new ItemCreateFailedArgs(bench.Pool, failure, 1, Workbench.Seconds(1)),
            Assert.Single(recorder.Of<ItemCreateFailedArgs>()));
        Assert.InRange(Assert.Single(recorder.Of<ItemCreatedArgs>()).Duration, Workbench.Seconds(2), Workbench.Seconds(2.2));
        Assert.Equal(
            new ItemDestroyedArgs(bench.Pool, 1, DestroyReason.Discarded, null),
            Assert.Single(recorder.Of<ItemDestroyedArgs>()));
        var wait = Assert.Single(recorder.Of<WaitEndedArgs>());
        Assert.Equal(WaitOutcome.Served, wait.Outcome);
        Assert.InRange(wait.Waited, Workbench.Seconds(3), Workbench.Seconds(3.2));
    }

    [Fact]
    public async Task A_timeout_shows_the_pool_as_it_was_before_its_observer_was_notified()
    {
        var bench = new Workbench();
        Lease<Part> held = default;
        bench.Options.Observer = new OnWait(() => held.Discard());
        held = bench.Rent();
        var waiting = bench.RequestAsync(Workbench.Seconds(1));
        bench.Advance(1);

        var failure = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
        Assert.Contains("1 leased, 0 idle", failure.Message, StringComparison.Ordinal);
        Assert.Equal(0, bench.Now.Leased);
    }

    [Fact]
    public void Exceptions_of_an_observer_are_ignored()
    {
        var bench = new Workbench();
        bench.Options.Observer = new Thrower();
        bench.Options.LeakThreshold = Workbench.Seconds(1);
        var lease = bench.Rent();
        bench.Advance(2);
        lease.Discard();
        bench.Run();
        bench.Policy.Creates = _ => throw new InvalidOperationException();
        _ = bench.RequestAsync(Workbench.Seconds(1));
        bench.Advance(1);

        Assert.Equal((0, 1L, 1L), (bench.Now.Waiting, bench.Now.SuspectedLeaks, bench.Now.Timeouts));
        bench.AssertBalanced();
    }

    [Fact]
    public async Task Histograms_record_wait_creation_and_use_times()
    {
        using var meter = new Meter("test");
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Options.Meter = meter;
        bench.Policy.Creates = creations.WaitAsync;
        var seen = new Dictionary<string, double>(StringComparer.Ordinal);
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter == meter)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>(
            (instrument, value, tags, _) => seen[$"{instrument.Name} {tags[0].Value}"] = value);
        listener.Start();

        var waiting = bench.RequestAsync();
        bench.Advance(2);
        creations.Release(bench.Policy.New());
        bench.Run();
        var lease = await waiting;
        bench.Advance(3);
        bench.Return(lease);

        Assert.Equal(2, seen["poolhouse.pool.wait_time parts"], 3);
        Assert.Equal(2, seen["poolhouse.pool.create_time parts"], 3);
        Assert.Equal(3, seen["poolhouse.pool.use_time parts"], 3);
    }

    [Fact]
    public void Instruments_carry_the_name_of_the_pool_until_it_is_disposed()
    {
        using var meter = new Meter("test");
        var bench = new Workbench(3);
        bench.Options.Meter = meter;
        _ = bench.Rent();
        bench.Rent().Discard();
        bench.Run();

        var seen = Gauges.Read(meter);
        Assert.Equal(3, seen["poolhouse.pool.item.max parts"]);
        Assert.Equal(0, seen["poolhouse.pool.pending_requests parts"]);
        Assert.Equal(1, seen["poolhouse.pool.item.count parts leased"]);
        Assert.Equal(1, seen["poolhouse.pool.item.destructions parts discarded"]);
        Assert.Equal(0, seen["poolhouse.pool.wait.failures parts timeout"]);
        bench.Pool.Dispose();

        Assert.Empty(Gauges.Read(meter));
    }

    [Theory]
    [InlineData(RentPhase.Return, "Items are requested faster than they are returned")]
    [InlineData(RentPhase.Create, "Items were being created")]
    [InlineData(RentPhase.Reset, "A returned item was being reset")]
    [InlineData(RentPhase.Destroy, "an item was being destroyed")]
    [InlineData(RentPhase.Suspended, "no caller is served until Resume")]
    [InlineData(RentPhase.Room, "The server has no room for another item")]
    public async Task A_timeout_states_what_the_caller_waited_for_and_what_to_do(RentPhase phase, string advice)
    {
        var bench = new Workbench();
        var never = new Gate<bool>();
        if (phase == RentPhase.Create)
        {
            bench.Policy.Creates = new Gate<Part>().WaitAsync;
        }
        else if (phase == RentPhase.Room)
        {
            bench.Policy.LacksRoomHook = static _ => true;
            bench.Policy.Creates = _ => throw new InvalidOperationException("Password=secret");
        }
        else
        {
            var lease = bench.Rent();
            if (phase == RentPhase.Destroy)
            {
                bench.Policy.Destroys = async (_, _) => await never.WaitAsync();
                lease.Discard();
            }
            else if (phase == RentPhase.Suspended)
            {
                bench.Pool.Suspend();
            }
            else if (phase == RentPhase.Reset)
            {
                bench = new Workbench();
                bench.Policy.Resets = (_, token) => never.WaitAsync(token);
                bench.Rent().Dispose();
            }
        }

        var waiting = bench.RequestAsync(Workbench.Seconds(4));
        bench.Advance(4);

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
        Assert.Equal((phase, "parts", Workbench.Seconds(4)), (timeout.Phase, timeout.PoolName, timeout.Elapsed));
        Assert.StartsWith("Pool 'parts': no item within 4 s (MaxSize 1: ", timeout.Message, StringComparison.Ordinal);
        Assert.Contains(advice, timeout.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", timeout.Message, StringComparison.Ordinal);
    }

    private sealed class OnWait(Action act) : ResourcePoolObserver
    {
        public override void OnWaitEnded(in WaitEndedArgs ended) => act();
    }

    private sealed class Thrower : ResourcePoolObserver
    {
        public override void OnCreated(in ItemCreatedArgs created) => throw new InvalidOperationException();

        public override void OnCreateFailed(in ItemCreateFailedArgs failed) => throw new InvalidOperationException();

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => throw new InvalidOperationException();

        public override void OnWaitEnded(in WaitEndedArgs ended) => throw new InvalidOperationException();

        public override void OnLeakSuspected(in LeakSuspectedArgs suspected) => throw new InvalidOperationException();
    }
}
