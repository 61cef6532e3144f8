using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Poolhouse.Workers;

namespace Poolhouse.Extensions.Tests.AspNetCore;

public sealed class PoolEndpoints : IAsyncDisposable
{
    private readonly WebApps _apps = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Clients_get_the_figures_of_every_pool_as_json()
    {
        var (app, client) = await StartAsync();
        using var owned = client;
        var pool = app.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        using var lease = await pool.RentAsync(Token);
        var waiting = pool.RentAsync(Token).AsTask();
        _apps.Time.Advance(TimeSpan.FromSeconds(2));

        using var response = await client.GetAsync(new Uri("/pools", UriKind.Relative), Token);
        using var json = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Token));

        Assert.Equal("application/json", response.Content.Headers.ContentType!.MediaType);
        Assert.True(response.Headers.CacheControl!.NoStore);
        Assert.Equal(
            ["main", "cache <b>", "workers"],
            json.RootElement.EnumerateArray().Select(each => each.GetProperty("name").GetString()));
        var main = json.RootElement[0];
        Assert.Equal(
            "ResourcePool of Link: saturated",
            $"{main.GetProperty("kind")} of {main.GetProperty("itemType")}: {main.GetProperty("state")}");
        Assert.Equal((1, 1, 1, 2), (
            main.GetProperty("leased").GetInt32(),
            main.GetProperty("maxLeased").GetInt32(),
            main.GetProperty("waiting").GetInt32(),
            main.GetProperty("oldestWaitSeconds").GetInt32()));
        Assert.False(json.RootElement[1].TryGetProperty("maxLeased", out _));
        Assert.Equal(1, pool.GetStatistics().Rented);
        lease.Dispose();
        (await waiting).Dispose();
    }

    [Fact]
    public async Task The_oldest_leases_are_shown_with_their_encoded_labels()
    {
        var (app, client) = await StartAsync();
        using var owned = client;
        using var label = LeaseLabel.Use("GET /<b>");
        using var lease = await app.Services.GetRequiredKeyedService<ResourcePool<Link>>("main").RentAsync(Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(2));

        using var json = JsonDocument.Parse(await client.GetStringAsync(new Uri("/pools", UriKind.Relative), Token));
        using var page = await SendAsync(client, HttpMethod.Get, "/pools", "text/html");

        var shown = Assert.Single(json.RootElement[0].GetProperty("oldestLeases").EnumerateArray());
        Assert.Equal((1, 2, "GET /<b>"), (
            shown.GetProperty("itemNumber").GetInt32(), shown.GetProperty("leasedForSeconds").GetInt32(),
            shown.GetProperty("label").GetString()));
        Assert.Empty(json.RootElement[1].GetProperty("oldestLeases").EnumerateArray());
        Assert.Contains("GET /&lt;b&gt;", await page.Content.ReadAsStringAsync(Token), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Browsers_get_a_page_without_scripts_or_other_requests_on_which_names_are_encoded()
    {
        var (_, client) = await StartAsync();
        using var owned = client;
        using var response = await SendAsync(client, HttpMethod.Get, "/pools", "text/html,application/xhtml+xml,*/*;q=0.8");
        var page = await response.Content.ReadAsStringAsync(Token);

        Assert.Equal("text/html", response.Content.Headers.ContentType!.MediaType);
        Assert.Contains(
            "default-src 'none'", Assert.Single(response.Headers.GetValues("Content-Security-Policy")), StringComparison.Ordinal);
        Assert.Contains("cache &lt;b&gt;", page, StringComparison.Ordinal);
        Assert.DoesNotContain("<b>", page, StringComparison.Ordinal);
        Assert.DoesNotContain("<script", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("http://", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("https://", page, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("prefers-color-scheme: dark", page, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/pools?format=json", "text/html")]
    [InlineData("/pools", "text/html;q=0, */*")]
    [InlineData("/pools", "not/a;type//")]
    public async Task Json_is_sent_when_no_page_was_requested(string address, string accept)
    {
        var (_, client) = await StartAsync();
        using var owned = client;
        using var response = await SendAsync(client, HttpMethod.Get, address, accept);

        Assert.Equal("application/json", response.Content.Headers.ContentType!.MediaType);
    }

    [Fact]
    public async Task A_head_request_gets_the_headers_only()
    {
        var (_, client) = await StartAsync();
        using var owned = client;
        using var response = await SendAsync(client, HttpMethod.Head, "/pools", "text/html");

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.True(response.Content.Headers.ContentLength > 0);
        Assert.Empty(await response.Content.ReadAsByteArrayAsync(Token));
    }

    [Fact]
    public async Task Values_of_a_rejected_configuration_are_not_shown()
    {
        var (app, client) = await StartAsync();
        using var owned = client;
        var root = (IConfigurationRoot)app.Services.GetRequiredService<IConfiguration>();
        root["Poolhouse:main:MaxSize"] = "hunter2";
        root.Reload();
        _apps.Time.Advance(TimeSpan.FromSeconds(1));

        var json = await client.GetStringAsync(new Uri("/pools", UriKind.Relative), Token);
        using var page = await SendAsync(client, HttpMethod.Get, "/pools", "text/html");

        Assert.Contains("\"state\": \"change rejected\"", json, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", json + await page.Content.ReadAsStringAsync(Token), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_bulkhead_without_a_total_limit_is_shown_without_numbers_that_it_does_not_have()
    {
        var (_, client) = await _apps.StartAsync(
            services => services.AddHttpClient("orders").AddPoolhouseBulkhead(options => options.MaxPerEndpoint = 1),
            app => app.MapPoolhouse());
        using var owned = client;

        var json = await client.GetStringAsync(new Uri("/pools", UriKind.Relative), Token);
        using var response = await SendAsync(client, HttpMethod.Get, "/pools", "text/html");
        var page = await response.Content.ReadAsStringAsync(Token);

        Assert.DoesNotContain("maxLeased", json, StringComparison.Ordinal);
        Assert.Contains("data-label=\"Leased\">0</td>", page, StringComparison.Ordinal);
        Assert.Contains("data-label=\"Idle\">–</td>", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_leak_and_an_outage_are_shown_on_the_page_as_the_health_check_shows_them()
    {
        var (app, client) = await _apps.StartAsync(
            services =>
            {
                services.AddResourcePool(
                    (_, _) => ValueTask.FromResult(new Link()), "leaks",
                    options => (options.MaxSize, options.LeakThreshold) = (4, TimeSpan.FromMinutes(1))).AddHealthCheck();
                services.AddResourcePool<Link>(
                    (_, _) => throw new HttpRequestException("secret"), "down", options => options.MaxSize = 1).AddHealthCheck();
            },
            app => app.MapPoolhouse());
        using var owned = client;
        var leaks = app.Services.GetRequiredKeyedService<ResourcePool<Link>>("leaks");
        using var first = await leaks.RentAsync(Token);
        using var second = await leaks.RentAsync(Token);
        using var third = await leaks.RentAsync(Token);
        _apps.Time.Advance(TimeSpan.FromMinutes(2));
        var down = app.Services.GetRequiredKeyedService<ResourcePool<Link>>("down");
        using var stop = new CancellationTokenSource();
        var waiting = down.RentAsync(stop.Token).AsTask();
        await Patience.UntilAsync(() => down.GetStatistics().InOutage, "an outage");

        using var json = JsonDocument.Parse(await client.GetStringAsync(new Uri("/pools", UriKind.Relative), Token));
        using var response = await SendAsync(client, HttpMethod.Get, "/pools", "text/html");
        var page = await response.Content.ReadAsStringAsync(Token);
        var health = await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);

        Assert.Equal(
            ["leaking", "outage"], json.RootElement.EnumerateArray().Select(each => each.GetProperty("state").GetString()));
        Assert.Equal(
            (HealthStatus.Degraded, HealthStatus.Unhealthy),
            (health.Entries["pool:leaks"].Status, health.Entries["pool:down"].Status));
        Assert.Equal(
            health.Entries["pool:leaks"].Description, json.RootElement[0].GetProperty("explanation").GetString());
        var explanation = json.RootElement[1].GetProperty("explanation").GetString();
        Assert.StartsWith("Outage since ", explanation, StringComparison.Ordinal);
        Assert.Contains("because of System.Net.Http.HttpRequestException", explanation, StringComparison.Ordinal);
        Assert.Contains("<span class=\"warn\">leaking</span><small>Leaking: an item", page, StringComparison.Ordinal);
        Assert.Contains("<span class=\"bad\">outage</span><small>Outage since", page, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", explanation + page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_pool_that_the_app_has_disposed_or_drains_is_shown_as_closed()
    {
        var (app, client) = await StartAsync();
        using var owned = client;
        app.Services.GetRequiredKeyedService<TieredObjectPool<Link>>("cache <b>").Dispose();
        await app.Services.GetRequiredKeyedService<WorkerPool<Link>>("workers").DrainAsync(Token);

        using var json = JsonDocument.Parse(await client.GetStringAsync(new Uri("/pools", UriKind.Relative), Token));
        using var response = await SendAsync(client, HttpMethod.Get, "/pools", "text/html");
        var page = await response.Content.ReadAsStringAsync(Token);

        Assert.Equal(
            ["working", "closed", "closed"],
            json.RootElement.EnumerateArray().Select(each => each.GetProperty("state").GetString()));
        Assert.Equal(2, page.Split("<span class=\"bad\">closed</span>").Length - 1);
    }

    [Fact]
    public async Task An_app_without_pools_learns_it_at_the_start()
    {
        var error =
            await Assert.ThrowsAsync<InvalidOperationException>(() => _apps.StartAsync(_ => { }, app => app.MapPoolhouse()));

        Assert.StartsWith("There are no pools to show", error.Message, StringComparison.Ordinal);
    }

    public ValueTask DisposeAsync() => _apps.DisposeAsync();

    private static async Task<HttpResponseMessage> SendAsync(HttpClient client, HttpMethod method, string address, string accept)
    {
        using var request = new HttpRequestMessage(method, address);
        request.Headers.TryAddWithoutValidation("Accept", accept);
        return await client.SendAsync(request, Token);
    }

    private Task<(WebApplication App, HttpClient Client)> StartAsync() => _apps.StartAsync(
        services =>
        {
            services.AddResourcePool(
                (_, _) => ValueTask.FromResult(new Link()), "main", options => (options.MaxSize, options.LabelLeases) = (1, true))
                    .BindConfiguration();
            services.AddObjectPool<Link>("cache <b>");
            services.AddWorkerPool(_ => new Link(), "workers", options => options.MaxWorkers = 2);
        },
        app => app.MapPoolhouse());
}
