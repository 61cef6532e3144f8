using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Text;
using Poolhouse.Kernel;
using Poolhouse.Metrics;
using Poolhouse.TestSupport;

namespace Poolhouse.Tests.Metrics;

/// <summary>The first pool of a process does not wait for its instruments, unless a listener may wait for them.</summary>
public sealed class FirstPool
{
    private const string MetricsSource = "System.Diagnostics.Metrics";

    public static TheoryData<string> InOwnProcess =>
    [
        nameof(A_listener_that_exists_has_the_instruments_when_the_first_pool_is_constructed),
        nameof(A_listener_that_starts_later_has_the_instruments_and_the_first_pool_soon),
    ];

    [Theory]
    [MemberData(nameof(InOwnProcess))]
    public Task In_a_process_of_its_own(string test) => OwnProcess.RunAsync(typeof(FirstPool), test);

    [Fact(Explicit = true)]
    public void A_listener_that_exists_has_the_instruments_when_the_first_pool_is_constructed()
    {
        var meters = new ConcurrentQueue<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) => meters.Enqueue(instrument.Meter.Name),
        };
        listener.Start();
        using var pool = NewPool();

        Assert.Contains("Poolhouse", meters);
        Assert.Contains("Poolhouse", SourceNames());
    }

    [Fact(Explicit = true)]
    public void A_listener_that_starts_later_has_the_instruments_and_the_first_pool_soon()
    {
        Assert.DoesNotContain(MetricsSource, SourceNames());
        using var pool = NewPool();
        pool.Return(pool.Get());
        var pools = new ConcurrentQueue<object?>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) => listener.EnableMeasurementEvents(instrument),
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            if (instrument.Name is "poolhouse.pool.returns" && value == 1)
            {
                pools.Enqueue(tags[0].Value);
            }
        });
        listener.Start();
        Background.Until(() =>
        {
            listener.RecordObservableInstruments();
            return pools.Contains("first");
        });
        Background.Until(() => SourceNames().Contains("Poolhouse"));
        Assert.Null(IPoolEventLog.Current);
    }

    [Fact]
    public async Task A_session_from_the_start_of_the_process_has_the_events_of_the_first_pool()
    {
        var folder = Directory.CreateTempSubdirectory("poolhouse-first-pool-").FullName;
        try
        {
            var trace = Path.Combine(folder, "trace");
            await OwnProcess.RunAsync(
                typeof(FirstPool), nameof(A_first_pool_that_cannot_create_items), ("DOTNET_EnableEventPipe", "1"),
                ("DOTNET_EventPipeConfig", "Poolhouse:2:4"), ("DOTNET_EventPipeOutputPath", trace));

            // The payloads of Started and OutageBegan.
            var bytes = await File.ReadAllBytesAsync(trace, TestContext.Current.CancellationToken);
            Assert.True(bytes.AsSpan().IndexOf(Encoding.Unicode.GetBytes("first\0ResourcePool\0")) >= 0);
            Assert.True(bytes.AsSpan().IndexOf(Encoding.Unicode.GetBytes("first\0System.InvalidOperationException\0")) >= 0);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact(Explicit = true)]
    public void A_first_pool_that_cannot_create_items()
    {
        Assert.DoesNotContain(MetricsSource, SourceNames());
        using (var pool = ResourcePool.Create<Part>(
            _ => throw new InvalidOperationException("down"),
            new ResourcePoolOptions { MaxSize = 1, Name = "first", OutageTimeout = TimeSpan.Zero }))
        {
            Assert.Throws<PoolUnavailableException>(() => pool.Rent());
        }

        Assert.Same(PoolEventSource.Log, IPoolEventLog.Current);
    }

    private static TieredObjectPool<Item> NewPool() => new(() => new Item(), null, new ObjectPoolOptions { Name = "first" });

    private static List<string> SourceNames() => [.. EventSource.GetSources().Select(source => source.Name)];
}
