using System.Globalization;
using Poolhouse.RabbitMq.Tests.Servers;
using RabbitMQ.Client;

[assembly: AssemblyFixture(typeof(RabbitServer))]

namespace Poolhouse.RabbitMq.Tests.Servers;

/// <summary>
/// The server that the tests of this assembly share, one after the other. It starts with the first test that needs it.
/// </summary>
/// <remarks>If no server is available, the test is skipped with the reason.</remarks>
public sealed class RabbitServer : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private Task<TemporaryRabbit>? _server;

    /// <summary>How connections are made, as the tests' pools do it.</summary>
    public async Task<ConnectionFactory> GetFactoryAsync() => new()
    {
        Uri = await GetAddressAsync(),
        AutomaticRecoveryEnabled = false,
        ClientProvidedName = "pool",
    };

    public async Task<Uri> GetAddressAsync() => (await StartOnceAsync()).Address;

    public async Task<string> GetFolderAsync() => (await StartOnceAsync()).Folder;

    /// <summary>What the server says of its channels: a row for each, its values separated by tabs.</summary>
    public Task<IReadOnlyList<string>> GetChannelsAsync(params string[] values) => EvaluateAsync(
        $"[[Value || {{_, Value}} <- Channel] || Channel <- rabbit_channel:info_all([{string.Join(", ", values)}])]");

    public async Task<int> CountConnectionsAsync() => (await GetStatesAsync()).Count;

    public Task CloseAllConnectionsAsync() => EvaluateAsync(
        "[[rabbit_networking:close_connection(Connection, \"pulled out by the test\")] " +
        "|| Connection <- rabbit_networking:connections()]");

    /// <summary>Tells the server that its memory is used up: it reads nothing more from connections that publish.</summary>
    public Task BlockPublishersAsync() => SetMemoryLimitAsync(0);

    public Task UnblockPublishersAsync() => SetMemoryLimitAsync(0.6);

    public async Task<bool> AnyIsBlockedAsync() => (await GetStatesAsync()).Contains("blocked", StringComparer.Ordinal);

    /// <summary>Sets how many channels the server allows on each connection that is opened from now on.</summary>
    public Task SetChannelMaxAsync(int channels) => EvaluateAsync(
        string.Create(CultureInfo.InvariantCulture, $"[[application:set_env(rabbit, channel_max, {channels})]]"));

    /// <summary>A queue for one test, and a channel outside the pool to inspect it.</summary>
    public async Task<Inbox> NewQueueAsync()
    {
        var factory = await GetFactoryAsync();
        factory.ClientProvidedName = "looker";
        var name = string.Create(CultureInfo.InvariantCulture, $"queue-{Guid.NewGuid():N}");
        var queue = new Inbox(factory, name);
        await queue.DeclareAsync();
        return queue;
    }

    public async ValueTask DisposeAsync()
    {
        // A server that could not be started was reported to the tests that wanted it.
        if (_server is { IsCompletedSuccessfully: true } server)
        {
            await (await server).DisposeAsync();
        }
    }

    private Task<IReadOnlyList<string>> GetStatesAsync() =>
        EvaluateAsync("[[State] || [{state, State}] <- rabbit_networking:connection_info_all([state])]");

    private Task<IReadOnlyList<string>> SetMemoryLimitAsync(double fraction) => EvaluateAsync(
        string.Create(CultureInfo.InvariantCulture, $"[[vm_memory_monitor:set_vm_memory_high_watermark({fraction})]]"));

    private async Task<IReadOnlyList<string>> EvaluateAsync(string expression) =>
        await (await StartOnceAsync()).EvaluateAsync(expression, TestContext.Current.CancellationToken);

    private Task<TemporaryRabbit> StartOnceAsync()
    {
        Assert.SkipUnless(TemporaryRabbit.TryFind(out var reason), reason);
        lock (_gate)
        {
            // A start that failed concerns only the tests that waited for it.
            return _server is null or { IsFaulted: true }
                ? _server = TemporaryRabbit.StartAsync(CancellationToken.None)
                : _server;
        }
    }
}
