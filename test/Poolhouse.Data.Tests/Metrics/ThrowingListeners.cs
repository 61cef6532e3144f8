using System.Diagnostics;
using System.Diagnostics.Metrics;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Metrics;

/// <summary>Listeners that throw run where connections are handed over and returned: no connection is lost.</summary>
public sealed class ThrowingListeners
{
    private readonly string _name = "pool-" + Guid.NewGuid().ToString("N");
    private int _heard;

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_meter_listener_that_throws_loses_no_connection(bool leases, bool synchronous)
    {
        using var meter = new Meter("throwing");
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
        listener.SetMeasurementEventCallback<double>((_, _, _, _) => Fail());
        listener.Start();

        await RentInTurnsAsync(leases, synchronous, meter);
    }

    [Theory]
    [InlineData(false, false, true)]
    [InlineData(false, true, true)]
    [InlineData(true, false, true)]
    [InlineData(true, true, true)]
    [InlineData(false, false, false)]
    [InlineData(false, true, false)]
    [InlineData(true, false, false)]
    [InlineData(true, true, false)]
    public async Task An_activity_listener_that_throws_loses_no_connection(bool leases, bool synchronous, bool atStart)
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name.Equals("Poolhouse.Data", StringComparison.Ordinal),
            Sample = static (ref _) => ActivitySamplingResult.AllData,
            ActivityStarted = activity => FailFor(activity, atStart),
            ActivityStopped = activity => FailFor(activity, !atStart),
        };
        ActivitySource.AddActivityListener(listener);
        using var caller = new Activity("caller").Start();

        await RentInTurnsAsync(leases, synchronous, meter: null);
        Assert.Same(caller, Activity.Current);
    }

    private async Task RentInTurnsAsync(bool leases, bool synchronous, Meter? meter)
    {
        const int Rounds = 5;
        using var db = new FakeDb();
        var options = new DbPoolOptions { Reset = SessionReset.None, ValidationQuery = null };
        options.Pool = new ResourcePoolOptions { MaxSize = 1, Name = _name, Meter = meter };
        using var measured = new MeasuredPool(leases, db, options);

        for (var round = 0; round < Rounds; round++)
        {
            var held = await measured.BeginRentAsync(synchronous);
            var waiting = measured.BeginRentAsync(synchronous);
            measured.AwaitQueue();
            held.Dispose();
            (await waiting.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken)).Dispose();
        }

        Assert.InRange(Volatile.Read(ref _heard), Rounds, int.MaxValue);
        Assert.Equal((0, 1, 1), (measured.Statistics.Leased, measured.Statistics.Live, measured.Statistics.Created));
    }

    private void FailFor(Activity activity, bool fails)
    {
        if (fails && _name.Equals(activity.GetTagItem("db.client.connection.pool.name")))
        {
            Fail();
        }
    }

    private void Fail()
    {
        Interlocked.Increment(ref _heard);
        throw new InvalidOperationException("listener");
    }
}
