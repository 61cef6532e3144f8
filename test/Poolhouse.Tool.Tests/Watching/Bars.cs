using System.Diagnostics;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolhouse.TestSupport;
using Poolhouse.Tool.Tests.Advising;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>What watching costs.</summary>
[Collection(nameof(WatchedAlone))]
public sealed class Bars
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(10, 4)]
    [InlineData(300, 80)]
    public async Task A_watcher_reads_few_bytes(int count, double mostKilobytesPerSecond)
    {
        var pools = Enumerable.Range(0, count).Select(number => NewPool(FormattableString.Invariant($"orders-{number}"))).ToList();
        using var label = LeaseLabel.Use("GET /orders");
        var leases = pools.ConvertAll(pool => pool.Rent());
        var client = new DiagnosticsClient(Environment.ProcessId);
        var model = new WatchModel();
        byte[] bytes;
        using (var session = client.StartEventPipeSession([Recording.ProviderAt("0.1")], requestRundown: false))
        using (await PoolSessions.StartAsync(client, model, TimeSpan.FromSeconds(0.1), detail: null, Token))
        {
            var copying = Recording.CopyAsync(session.EventStream);
            await Sessions.UntilAsync(model, 5);
            await session.StopAsync(Token);
            bytes = await copying;
        }

        // Of all that was sent, at the usual interval of two seconds.
        var pictures = Recording.Read(bytes).Pictures;
        var perSecond = bytes.Length / 1000.0 / pictures / 2;
        Say($"{count} pools: {perSecond:0.0} KB/s");
        Assert.InRange(pictures, 2, 20);
        Assert.InRange(perSecond, 0, mostKilobytesPerSecond);
        leases.ForEach(lease => lease.Dispose());
        pools.ForEach(pool => pool.Dispose());
    }

    [Fact(Explicit = true)]
    public async Task The_first_picture_takes_the_watcher_at_most_0_8_seconds_of_processor_time()
    {
        await using var target = await ZooProcess.StartAsync("pooled-connections");
        var times = new List<double>();
        for (var round = 0; round < 5; round++)
        {
            using var watch = Process.Start(ToolProcess.With("watch", target.Id, "--json", "--wait", "--interval", "2"))!;
            Assert.NotNull(await watch.StandardOutput.ReadLineAsync(Token));
            times.Add(watch.TotalProcessorTime.TotalSeconds);
            watch.Kill();
            await watch.WaitForExitAsync(Token);
        }

        AssertAtMost(0.8, times, "first picture, seconds of processor time");
    }

    private static void AssertAtMost(double most, List<double> values, string what)
    {
        var median = values.Order().ElementAt(values.Count / 2);
        var all = string.Join(' ', values.Select(value => value.ToString("0.00", CultureInfo.InvariantCulture)));
        Say($"{what}: {median:0.000} of {all}");
        Assert.InRange(median, 0, most);
    }

    private static void Say(FormattableString text) =>
        TestContext.Current.SendDiagnosticMessage(FormattableString.Invariant(text));

    private static ResourcePool<string> NewPool(string name) => ResourcePool.Create(
        _ => new ValueTask<string>("item"), new ResourcePoolOptions { MaxSize = 4, Name = name, LabelLeases = true });
}
