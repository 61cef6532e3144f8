using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Http;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Poolhouse.Http;

namespace Poolhouse.Extensions.Tests.Http;

public sealed class Bulkheads
{
    private static readonly Uri _address = new("http://orders.test/");

    private readonly Apps _apps = new();
    private readonly GatedHandler _server = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("")]
    [InlineData("a:b")]
    public void A_client_whose_name_a_bulkhead_cannot_have_is_named_with_the_argument_that_helps(string client)
    {
        var services = new ServiceCollection();
        var error = Assert.Throws<ArgumentException>(() => services.AddHttpClient(client).AddPoolhouseBulkhead());

        Assert.StartsWith($"The name of the HTTP client is \"{client}\"", error.Message, StringComparison.Ordinal);
        Assert.Contains("argument name: of AddPoolhouseBulkhead", error.Message, StringComparison.Ordinal);
        services.AddHttpClient(client).AddPoolhouseBulkhead(name: "other");
    }

    [Fact]
    public async Task Handlers_of_one_client_share_a_bulkhead_that_outlives_them()
    {
        using var host =
            await StartAsync(options => (options.MaxPerEndpoint, options.RentTimeout) = (1, TimeSpan.FromSeconds(5)));
        var bulkhead = host.Services.GetRequiredKeyedService<Bulkhead>("orders");
        using var first = new HttpClient(NewChain(host));
        using var second = new HttpClient(NewChain(host));
        var pending = first.GetAsync(_address, Token);
        await _server.ArrivedAsync();
        var waiting = second.GetAsync(_address, Token);

        Assert.Equal((1, 1), (bulkhead.GetStatistics().Leased, bulkhead.GetStatistics().Waiting));
        Assert.Equal(1, _server.Requests);
        _server.Open();
        (await pending).Dispose();
        (await waiting).Dispose();
        first.Dispose();
        second.Dispose();
        using var third = new HttpClient(NewChain(host));
        (await third.GetAsync(_address, Token)).Dispose();
        Assert.Equal(3, bulkhead.GetStatistics().Rented);
    }

    [Fact]
    public async Task A_request_that_is_not_admitted_fails_with_the_name_of_the_client_and_is_logged()
    {
        using var host =
            await StartAsync(options => (options.MaxPerEndpoint, options.RentTimeout) = (1, TimeSpan.FromSeconds(5)));
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var (pending, waiting) = await SaturateAsync(client, seconds: 5);

        var rejection = await Assert.ThrowsAsync<BulkheadRejectedException>(() => waiting);

        Assert.Equal("orders", rejection.PoolName);
        var entry = Assert.Single(_apps.Log.Entries, entry => entry.Id == 1200);
        Assert.Equal(("Poolhouse.Http", LogLevel.Warning), (entry.Category, entry.Level));
        Assert.Contains("(MaxPerEndpoint 1: 1 leased", entry.Text, StringComparison.Ordinal);
        _server.Open();
        (await pending).Dispose();
    }

    [Fact]
    public async Task The_log_names_the_limits_of_the_bulkhead()
    {
        using var host = await StartAsync(options =>
            (options.MaxPerEndpoint, options.MaxTotal, options.RentTimeout) = (1, 7, TimeSpan.FromSeconds(5)));
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var (pending, waiting) = await SaturateAsync(client, seconds: 5);
        await Assert.ThrowsAsync<BulkheadRejectedException>(() => waiting);

        Assert.StartsWith(
            "Pool 'orders': no item within 5 s (MaxPerEndpoint 1, MaxTotal 7: 1 leased, ",
            Assert.Single(_apps.Log.Of(1200)).Text, StringComparison.Ordinal);
        _server.Open();
        (await pending).Dispose();
    }

    [Fact]
    public async Task The_log_names_the_limit_that_the_app_has_set_at_run_time()
    {
        using var host =
            await StartAsync(options => (options.MaxPerEndpoint, options.RentTimeout) = (8, TimeSpan.FromSeconds(5)));
        host.Services.GetRequiredKeyedService<Bulkhead>("orders").Resize(1);
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var (pending, waiting) = await SaturateAsync(client, seconds: 5);
        await Assert.ThrowsAsync<BulkheadRejectedException>(() => waiting);

        Assert.Contains(
            "(MaxPerEndpoint 8, MaxTotal 1: 1 leased, ", Assert.Single(_apps.Log.Of(1200)).Text, StringComparison.Ordinal);
        _server.Open();
        (await pending).Dispose();
    }

    [Fact]
    public async Task Settings_come_from_configuration_and_a_changed_limit_admits_the_waiting_request()
    {
        _apps.Settings["Poolhouse:orders:MaxPerEndpoint"] = "1";
        using var host = await StartAsync(null, pool => pool.BindConfiguration());
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var pending = client.GetAsync(_address, Token);
        await _server.ArrivedAsync();
        var waiting = client.GetAsync(_address, Token);
        Assert.Equal(1, _server.Requests);

        Apps.Change(host, "Poolhouse:orders:MaxPerEndpoint", "2");
        _apps.Time.Advance(TimeSpan.FromSeconds(1));

        await _server.ArrivedAsync();
        _server.Open();
        Assert.All(await Task.WhenAll(pending, waiting), response => response.Dispose());
        Assert.Contains(
            _apps.Log.Entries,
            entry => entry.Id == 1300 && entry.Text.Contains("MaxPerEndpoint: 1 -> 2", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Invalid_settings_prevent_the_start()
    {
        var invalid =
            await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(options => options.MaxPerEndpoint = -1));

        Assert.Contains("Pool 'orders' (AddPoolhouseBulkhead): ", invalid.Message, StringComparison.Ordinal);
        Assert.Contains("MaxPerEndpoint is -1", invalid.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_saturated_bulkhead_is_degraded()
    {
        using var host = await StartAsync(options => options.MaxPerEndpoint = 1, pool => pool.AddHealthCheck());
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var (pending, waiting) = await SaturateAsync(client);
        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token);

        Assert.Equal(HealthStatus.Degraded, report.Entries["pool:orders"].Status);
        Assert.Contains("the first for 2 s", report.Entries["pool:orders"].Description, StringComparison.Ordinal);
        _server.Open();
        Assert.All(await Task.WhenAll(pending, waiting), response => response.Dispose());
    }

    [Fact]
    public async Task A_suspended_bulkhead_is_degraded()
    {
        using var host = await StartAsync(options => options.MaxPerEndpoint = 1, pool => pool.AddHealthCheck());
        host.Services.GetRequiredKeyedService<Bulkhead>("orders").Suspend();

        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token);

        Assert.True(Assert.Single(host.Services.GetRequiredService<IPools>()).GetFigures().Suspended);
        Assert.Equal(HealthStatus.Degraded, report.Entries["pool:orders"].Status);
        Assert.StartsWith(
            "Suspended: no caller is served until Resume is called", report.Entries["pool:orders"].Description,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_a_total_limit_there_is_neither_a_limit_nor_a_remainder_in_the_figures_and_the_health_check()
    {
        using var host = await StartAsync(options => options.MaxPerEndpoint = 1, pool => pool.AddHealthCheck());
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var (pending, waiting) = await SaturateAsync(client);
        var figures = Assert.Single(host.Services.GetRequiredService<IPools>()).GetFigures();
        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token);

        Assert.Equal((0, 1, 0, 1), (figures.MaxLeased, figures.Leased, figures.Idle, figures.Waiting));
        Assert.StartsWith(
            "Saturated (MaxPerEndpoint 1: 1 leased, 0 creating): 1 waiting, the first for 2 s;",
            report.Entries["pool:orders"].Description, StringComparison.Ordinal);
        _server.Open();
        Assert.All(await Task.WhenAll(pending, waiting), response => response.Dispose());
    }

    [Fact]
    public async Task With_a_total_limit_the_figures_show_it_and_what_is_left_of_it()
    {
        using var host = await StartAsync(options => (options.MaxPerEndpoint, options.MaxTotal) = (2, 5));
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var pending = client.GetAsync(_address, Token);
        await _server.ArrivedAsync();

        var figures = Assert.Single(host.Services.GetRequiredService<IPools>()).GetFigures();

        Assert.Equal((5, 1, 4), (figures.MaxLeased, figures.Leased, figures.Idle));
        _server.Open();
        (await pending).Dispose();
    }

    [Fact]
    public async Task Observers_of_the_app_and_of_the_options_are_notified()
    {
        var (first, second) = (new Seen(), new Seen());
        using var host = await StartAsync(
            options => (options.MaxPerEndpoint, options.Observer) = (1, first),
            pool =>
            {
                pool.Services.AddSingleton(second);
                pool.AddObserver<Seen>();
            });
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var pending = client.GetAsync(_address, Token);
        await _server.ArrivedAsync();
        var waiting = client.GetAsync(_address, Token);
        _server.Open();
        Assert.All(await Task.WhenAll(pending, waiting), response => response.Dispose());

        var waits = (int)host.Services.GetRequiredKeyedService<Bulkhead>("orders").GetStatistics().Waits;
        Assert.True(waits >= 1);
        Assert.Equal((waits, waits), (first.Waits, second.Waits));
    }

    [Fact]
    public async Task A_log_that_cannot_be_written_does_not_hide_an_event_from_the_observers()
    {
        using var logging = new ThrowingProvider(1200);
        var seen = new Seen();
        using var host = await StartAsync(
            options => (options.MaxPerEndpoint, options.RentTimeout, options.Observer) = (1, TimeSpan.FromSeconds(5), seen),
            pool => pool.Services.AddLogging(log => log.AddProvider(logging)));
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var pending = client.GetAsync(_address, Token);
        await _server.ArrivedAsync();
        var before = seen.Waits;
        var waiting = client.GetAsync(_address, Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(5));
        await Assert.ThrowsAsync<BulkheadRejectedException>(() => waiting);

        Assert.Equal(before + 1, seen.Waits);
        _server.Open();
        (await pending).Dispose();
    }

    [Fact]
    public async Task A_drain_waits_for_the_response_in_progress()
    {
        using var host = await StartAsync(options => options.MaxPerEndpoint = 1, pool => pool.DrainOnShutdown());
        using var client = host.Services.GetRequiredService<IHttpClientFactory>().CreateClient("orders");
        var pending = client.GetAsync(_address, Token);
        await _server.ArrivedAsync();
        var stopping = host.StopAsync(Token);
        Assert.False(stopping.IsCompleted);

        _server.Open();

        (await pending).Dispose();
        await stopping;
        Assert.Contains(_apps.Log.Entries, entry => entry.Id == 1400);
    }

    [Fact]
    public void Two_pools_of_one_name_are_an_error_unless_the_bulkhead_gets_another_name()
    {
        var services = new ServiceCollection();
        services.AddObjectPool<Link>("orders");
        var client = services.AddHttpClient("orders");

        var twice = Assert.Throws<InvalidOperationException>(() => client.AddPoolhouseBulkhead());
        Assert.Contains("AddPoolhouseBulkhead", twice.Message, StringComparison.Ordinal);
        client.AddPoolhouseBulkhead(options => options.MaxPerEndpoint = 1, name: "orders-http");
        using var provider = services.BuildServiceProvider();
        Assert.Equal("orders-http", provider.GetRequiredKeyedService<Bulkhead>("orders-http").Name);
    }

    [Fact]
    public void A_bulkhead_that_is_to_be_warmed_up_is_an_error_that_names_nothing_it_does_not_have()
    {
        var client = new ServiceCollection().AddHttpClient("orders");

        var error = Assert.Throws<InvalidOperationException>(
            () => client.AddPoolhouseBulkhead(options => options.MaxPerEndpoint = 1, bulkhead => bulkhead.WarmUp(2)));

        Assert.StartsWith(
            "Pool 'orders' (AddPoolhouseBulkhead) cannot be warmed up here: ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith("; a bulkhead needs no warm-up.", error.Message, StringComparison.Ordinal);
    }

    // A new chain of handlers, as the factory builds it after the lifetime of the previous one.
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

    /// <summary>Sends a request that takes the only permit, and one that has waited for it for some time.</summary>
    private async Task<(Task<HttpResponseMessage> Pending, Task<HttpResponseMessage> Waiting)> SaturateAsync(
        HttpClient client, int seconds = 2)
    {
        var pending = client.GetAsync(_address, Token);
        await _server.ArrivedAsync();
        var waiting = client.GetAsync(_address, Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(seconds));
        return (pending, waiting);
    }

    private async Task<IHost> StartAsync(Action<BulkheadOptions>? configure, Action<PoolBuilder<BulkheadOptions>>? pool = null)
    {
        var host = _apps.Build(services => services
            .AddHttpClient("orders")
            .AddPoolhouseBulkhead(configure, pool)
            .ConfigurePrimaryHttpMessageHandler(() => _server));
        await host.StartAsync(Token);
        return host;
    }

    private sealed class Seen : BulkheadObserver
    {
        private int _waits;

        public int Waits => Volatile.Read(ref _waits);

        public override void OnWaitEnded(in WaitEndedArgs ended) => Interlocked.Increment(ref _waits);
    }
}
