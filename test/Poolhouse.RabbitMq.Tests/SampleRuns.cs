using Poolhouse.RabbitMq.Tests.Servers;
using Poolhouse.TestSupport;

namespace Poolhouse.RabbitMq.Tests;

/// <summary>The sample, run as its readers run it.</summary>
[Collection(nameof(OneAtATime))]
public sealed class SampleRuns(RabbitServer server)
{
    [Fact]
    public async Task It_publishes_with_confirms_and_in_a_transaction() => Assert.Equal(
        [
            "100 messages confirmed, over at most 8 channels on at most 2 connections.",
            "Nobody takes messages for no-such-queue.",
            "102 messages in the queue.",
        ],
        await RunAsync((await server.GetAddressAsync()).ToString()));

    [Fact]
    public async Task Without_a_server_it_reports_that_and_ends()
    {
        using var closed = RefusingPort.Bind(out var port);

        Assert.Equal(
            "No RabbitMQ server answers on 127.0.0.1: nothing was published.",
            (await RunAsync(FormattableString.Invariant($"amqp://127.0.0.1:{port}")))[0]);
    }

    private static Task<IReadOnlyList<string>> RunAsync(string address) => SampleProcess.RunAsync("RabbitPublisher", address);
}
