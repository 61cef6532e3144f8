using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Poolhouse.Tests.Metrics;

/// <summary>A listener that throws runs on the stack that ends a wait or returns an item: no item is lost.</summary>
public sealed class ThrowingListeners
{
    [Fact]
    public async Task A_listener_that_throws_loses_no_item()
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
        var heard = 0;
        listener.SetMeasurementEventCallback<double>((_, _, _, _) =>
        {
            Interlocked.Increment(ref heard);
            throw new InvalidOperationException("listener");
        });
        listener.Start();
        await using var pool = ResourcePool.Create(
            _ => new ValueTask<Part>(new Part(1)), new ResourcePoolOptions { MaxSize = 1, Meter = meter });

        for (var round = 0; round < 5; round++)
        {
            var lease = await pool.RentAsync().AsTask().WaitAsync(Background.Limit);
            var waiting = pool.RentAsync().AsTask();
            await lease.DisposeAsync();
            (await waiting.WaitAsync(Background.Limit)).Dispose();
        }

        Assert.True(Volatile.Read(ref heard) > 10, "The listener was called too rarely for a meaningful test.");
        Assert.Equal((0, 1), (pool.GetStatistics().Leased, pool.GetStatistics().Live));
    }

    [Fact]
    public void A_listener_that_throws_at_an_instrument_prevents_neither_pools_nor_other_instruments()
    {
        using var meter = new Meter("throwing at instruments");
        var published = new List<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter == meter)
                {
                    published.Add(instrument.Name);
                    throw new InvalidOperationException("listener");
                }
            },
        };
        listener.Start();
        using var pool = new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { Meter = meter });
        pool.Return(pool.Get());

        Assert.Contains("poolhouse.pool.item.count", published);
        Assert.Contains("poolhouse.pool.use_time", published);
    }

    [Fact]
    public void A_pool_that_is_created_while_instruments_are_published_does_not_publish_them_again()
    {
        using var meter = new Meter("creating pools");
        var published = new List<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter == meter)
                {
                    published.Add(instrument.Name);
                    NewPool().Dispose();
                }
            },
        };
        listener.Start();
        NewPool().Dispose();

        Assert.NotEmpty(published);
        Assert.Equal(published.Distinct(StringComparer.Ordinal), published);

        TieredObjectPool<Item> NewPool() => new(() => new Item(), null, new ObjectPoolOptions { Meter = meter });
    }
}
