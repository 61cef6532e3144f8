using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Bulkheads;

/// <summary>The reporting of a bulkhead: the same as for every pool.</summary>
public sealed class Reporting
{
    [Fact]
    public async Task Statistics_count_requests_waits_and_times()
    {
        using var bench = new Harness(endpointLimit: 1);
        var first = await bench.OccupyAsync();
        var waiting = bench.SendAsync();
        bench.Clock.Advance(TimeSpan.FromSeconds(2));
        first.Dispose();
        (await bench.Inner.ComesAsync(1)).Respond();
        (await Patience.WithinAsync(waiting)).Dispose();

        var now = bench.Bulkhead.GetStatistics(new Uri("http://server/any/path"))!;
        Assert.Equal((2L, 2L, 0, 0), (now.Rented, now.Returned, now.Leased, now.Waiting));
        Assert.Equal((TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(2)), (now.WaitTime, now.UseTime));
        Assert.Null(bench.Bulkhead.GetStatistics(new Uri("http://unknown/")));
        Assert.Equal(now.Rented, ((IPool)bench.Bulkhead).GetStatistics().Rented);
        Assert.Equal(1, bench.Bulkhead.Trim());
    }

    [Fact]
    public async Task Metrics_show_the_bulkhead_as_one_pool_under_its_name()
    {
        using var meter = new Meter("Reporting");
        var names = new HashSet<string>(StringComparer.Ordinal);
        long leased = 0;
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listening) =>
        {
            if (instrument.Meter == meter && instrument.Name is "poolhouse.pool.item.count")
            {
                listening.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            foreach (var (key, tag) in tags)
            {
                leased += tag is "leased" ? value : 0;
                _ = key is "poolhouse.pool.name" && names.Add((string)tag!);
            }
        });
        listener.Start();
        using var bench = new Harness(endpointLimit: 2, options => options.Meter = meter);
        using var one = await bench.OccupyAsync("http://one/");
        using var two = await bench.OccupyAsync("http://two/");
        listener.RecordObservableInstruments();

        Assert.Equal(["outgoing"], names);
        Assert.Equal(2, leased);
    }

    [Fact]
    public async Task A_response_held_too_long_is_reported_once()
    {
        var observer = new Leaks();
        using var bench = new Harness(
            endpointLimit: 1, options => (options.LeakThreshold, options.Observer) = (TimeSpan.FromSeconds(10), observer));
        using var held = await bench.OccupyAsync();
        bench.Clock.Advance(TimeSpan.FromSeconds(11));

        // The timer is set after the caller has gone on; one that is set late fires at the next advance.
        await Patience.UntilAsync(
            () =>
            {
                bench.Clock.Advance(TimeSpan.Zero);
                return !observer.Suspected.IsEmpty && bench.Now.SuspectedLeaks == 1;
            },
            "the report");
        bench.Clock.Advance(TimeSpan.FromSeconds(11));

        Assert.Same(bench.Bulkhead, Assert.Single(observer.Suspected).Pool);
        Assert.Equal(1, bench.Now.SuspectedLeaks);
    }

    private sealed class Leaks : BulkheadObserver
    {
        public ConcurrentQueue<LeakSuspectedArgs> Suspected { get; } = new();

        public override void OnLeakSuspected(in LeakSuspectedArgs suspected) => Suspected.Enqueue(suspected);
    }
}
