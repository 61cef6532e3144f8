using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Http;
using Microsoft.Extensions.Options;
using Poolhouse.Http;

namespace Poolhouse.Extensions.Tests.Http;

public sealed class Shards
{
    private static readonly Uri _address = new("http://orders.test/");

    private readonly Apps _apps = new();
    private readonly List<GatedHandler> _servers = [];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Requests_are_spread_over_shards_that_outlive_the_handlers_of_the_factory()
    {
        var host = _apps.Build(services => services.AddHttpClient("orders").UsePoolhouseShards(Configure));
        await host.StartAsync(Token);
        var first = new HttpClient(NewChain(host));
        using var second = new HttpClient(NewChain(host));
        _servers.ForEach(server => server.Open());
        (await first.GetAsync(_address, Token)).Dispose();
        first.Dispose();
        (await second.GetAsync(_address, Token)).Dispose();

        Assert.Equal([1, 1], _servers.Select(server => server.Requests));
        Assert.Equal([0, 0], _servers.Select(server => server.Disposals));
        Assert.Equal(
            2,
            host.Services.GetRequiredKeyedService<ShardedHandler>("orders").GetStatistics().Shards.Sum(shard => shard.Requests));
        await ((IAsyncDisposable)host).DisposeAsync();
        await Task.WhenAll(_servers.Select(server => server.Disposed)).WaitAsync(Token);
    }

    [Fact]
    public async Task Invalid_settings_prevent_the_start()
    {
        using var host =
            _apps.Build(services => services.AddHttpClient("orders").UsePoolhouseShards(options => options.Shards = 0));

        var invalid = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.StartsWith("Client 'orders' (UsePoolhouseShards): ", invalid.Message, StringComparison.Ordinal);
        Assert.Contains("Shards is 0", invalid.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_client_gets_shards_once()
    {
        var client = new ServiceCollection().AddHttpClient("orders").UsePoolhouseShards(Configure);

        Assert.Throws<InvalidOperationException>(() => client.UsePoolhouseShards(Configure));
    }

    [Fact]
    public async Task The_clock_of_the_container_renews_the_shards()
    {
        using var host = _apps.Build(services => services.AddHttpClient("orders").UsePoolhouseShards(options =>
        {
            Configure(options);
            (options.MaxLifetime, options.LifetimeJitter) = (TimeSpan.FromMinutes(10), 0);
        }));
        await host.StartAsync(Token);
        var shards = host.Services.GetRequiredKeyedService<ShardedHandler>("orders");

        _apps.Time.Advance(TimeSpan.FromMinutes(11));

        await Patience.UntilAsync(() => shards.GetStatistics().RetiredForLifetime >= 2, "two shards are retired");
    }

    private static HttpMessageHandler NewChain(IHost host)
    {
        var builder = host.Services.GetRequiredService<HttpMessageHandlerBuilder>();
        builder.Name = "orders";
        foreach (var configure in host.Services.GetRequiredService<IOptionsMonitor<HttpClientFactoryOptions>>()
            .Get("orders").HttpMessageHandlerBuilderActions)
        {
            configure(builder);
        }

        return builder.Build();
    }

    private void Configure(ShardedHandlerOptions options) =>
        (options.Shards, options.Selection, options.CreateHandler) = (2, SelectionStrategy.RoundRobin, () =>
    {
        var server = new GatedHandler();
        lock (_servers)
        {
            _servers.Add(server);
        }

        return server;
    }
    );
}
