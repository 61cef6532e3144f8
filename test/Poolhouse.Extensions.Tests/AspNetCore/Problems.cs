using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Data;
using Poolhouse.Extensions.Tests.Http;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Extensions.Tests.AspNetCore;

public sealed class Problems : IAsyncDisposable
{
    private readonly WebApps _apps = new();
    private readonly TaskCompletionSource _running = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ScriptedPolicy<Link> _policy = new(() => new Link());

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_pool_timeout_is_503_with_problem_details_that_reveal_nothing_about_the_pool()
    {
        var (app, client) = await StartAsync(_ => { });
        using var owned = client;
        using var lease = await Pool(app).RentAsync(Token);
        var request = client.GetAsync(new Uri("/rent", UriKind.Relative), Token);
        await Patience.UntilAsync(() => Pool(app).GetStatistics().Waiting == 1, "a caller waits");
        _apps.Time.Advance(TimeSpan.FromSeconds(30));

        using var response = await request;

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType!.MediaType);
        Assert.Null(response.Headers.RetryAfter);
        var text = await response.Content.ReadAsStringAsync(Token);
        using var problem = JsonDocument.Parse(text);
        Assert.Equal(503, problem.RootElement.GetProperty("status").GetInt32());
        Assert.Equal("saturated", problem.RootElement.GetProperty("state").GetString());
        Assert.Equal(
            "Saturated: there are more requests than the service can handle. Try again later.",
            problem.RootElement.GetProperty("detail").GetString());
        Assert.DoesNotContain("main", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_refused_caller_gets_503()
    {
        var (app, client) = await StartAsync(options => options.MaxWaiters = 0);
        using var owned = client;
        using var lease = await Pool(app).RentAsync(Token);

        using var response = await client.GetAsync(new Uri("/rent", UriKind.Relative), Token);

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
    }

    [Fact]
    public async Task In_an_outage_the_answer_says_so_and_the_header_when_to_try_again()
    {
        (_policy.Creating.Outcome, _policy.Creating.Failure) = (HookOutcome.Fail, new TimeoutException("secret"));
        var (app, client) = await StartAsync(options =>
            (options.OutageTimeout, options.RetryDelay, options.MaxRetryDelay) =
                (TimeSpan.Zero, TimeSpan.FromSeconds(40), TimeSpan.FromSeconds(40)));
        using var owned = client;
        await Assert.ThrowsAsync<PoolUnavailableException>(() => Pool(app).RentAsync(Token).AsTask());

        using var response = await client.GetAsync(new Uri("/rent", UriKind.Relative), Token);

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.InRange(response.Headers.RetryAfter!.Delta!.Value, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(40));
        var text = await response.Content.ReadAsStringAsync(Token);
        Assert.DoesNotContain("secret", text, StringComparison.Ordinal);
        using var problem = JsonDocument.Parse(text);
        Assert.Equal("outage", problem.RootElement.GetProperty("state").GetString());
        Assert.StartsWith("Outage since ", problem.RootElement.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/wrapped")]
    [InlineData("/several")]
    public async Task The_exception_may_be_inside_another(string address)
    {
        var (app, client) = await StartAsync(options => options.MaxWaiters = 0);
        using var owned = client;
        using var lease = await Pool(app).RentAsync(Token);

        using var response = await client.GetAsync(new Uri(address, UriKind.Relative), Token);

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
    }

    [Fact]
    public async Task Other_exceptions_stay_500()
    {
        var (_, client) = await StartAsync(_ => { });
        using var owned = client;

        using var response = await client.GetAsync(new Uri("/fail", UriKind.Relative), Token);
        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
    }

    [Fact]
    public async Task Work_that_ran_for_too_long_stays_500()
    {
        var (_, client) = await StartAsync(_ => { });
        using var owned = client;
        var request = client.GetAsync(new Uri("/slow", UriKind.Relative), Token);
        await _running.Task.WaitAsync(Token);
        await Patience.UntilAsync(
            () =>
            {
                _apps.Time.Advance(TimeSpan.FromSeconds(1));
                return request.IsCompleted;
            },
            "the response arrives");

        using var response = await request;
        _stop.SetResult();
        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
    }

    [Fact]
    public async Task Exceptions_of_databases_and_bulkheads_are_503_too()
    {
        var (app, client) = await StartAsync(_ => { });
        using var owned = client;
        await using var connection =
            await app.Services.GetRequiredKeyedService<PooledDataSource>("db").OpenConnectionAsync(Token);
        using var database = await client.GetAsync(new Uri("/db", UriKind.Relative), Token);
        using var bulkhead = await client.GetAsync(new Uri("/http", UriKind.Relative), Token);

        Assert.Equal(HttpStatusCode.ServiceUnavailable, database.StatusCode);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, bulkhead.StatusCode);
        Assert.Contains("\"state\":\"saturated\"", await database.Content.ReadAsStringAsync(Token), StringComparison.Ordinal);
        Assert.Contains("\"state\":\"saturated\"", await bulkhead.Content.ReadAsStringAsync(Token), StringComparison.Ordinal);
    }

    public ValueTask DisposeAsync() => _apps.DisposeAsync();

    private static ResourcePool<Link> Pool(WebApplication app) =>
        app.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");

    private Task<(WebApplication App, HttpClient Client)> StartAsync(Action<ResourcePoolOptions> configure) => _apps.StartAsync(
        services =>
        {
            services.AddPoolhouseProblemDetails();
            services.AddResourcePool(_ => _policy, "main", options => options.MaxSize = 1).Configure(configure);
            services.AddWorkerPool(
                _ => new Link(), "workers", options => (options.MaxWorkers, options.RunTimeout) = (1, TimeSpan.FromSeconds(1)));
            services.AddPooledDataSource(
                SqliteFactory.Instance, "Data Source=:memory:", "db",
                options => (options.Pool.MaxSize, options.Pool.MaxWaiters) = (1, 0));
            services.AddHttpClient("http").AddPoolhouseBulkhead(options => (options.MaxPerEndpoint, options.MaxWaiters) = (1, 0))
                .ConfigurePrimaryHttpMessageHandler(() => new GatedHandler());
        },
        app =>
        {
            app.UseExceptionHandler();
            app.MapGet("/rent", async (CancellationToken token) => (await Pool(app).RentAsync(token)).Dispose());
            app.MapGet("/wrapped", async (CancellationToken token) =>
            {
                try
                {
                    (await Pool(app).RentAsync(token)).Dispose();
                }
                catch (PoolOverloadedException e)
                {
                    throw new InvalidOperationException("The retries are used up.", e);
                }
            });
            app.MapGet("/several", async (CancellationToken token) =>
            {
                try
                {
                    (await Pool(app).RentAsync(token)).Dispose();
                }
                catch (PoolOverloadedException e)
                {
                    throw new AggregateException(new TimeoutException(), e);
                }
            });
            app.MapGet("/fail", void () => throw new TimeoutException());
            app.MapGet("/slow", async (CancellationToken token) =>
                await app.Services.GetRequiredKeyedService<WorkerPool<Link>>("workers").RunAsync(
                    _ =>
                    {
                        _running.SetResult();
                        _stop.Task.Wait(Token);
                    },
                    cancellationToken: token));
            app.MapGet("/db", async (CancellationToken token) =>
                await (await app.Services.GetRequiredKeyedService<PooledDataSource>("db")
                    .OpenConnectionAsync(token)).DisposeAsync());
            app.MapGet("/http", async (IHttpClientFactory clients, CancellationToken token) =>
            {
                using var quotes = clients.CreateClient("http");
                using var stop = CancellationTokenSource.CreateLinkedTokenSource(token);
                var first = quotes.GetAsync(new Uri("http://quotes.test/"), stop.Token);
                try
                {
                    using var second = await quotes.GetAsync(new Uri("http://quotes.test/"), token);
                }
                finally
                {
                    await stop.CancelAsync();
                    await first.ContinueWith(static _ => { }, TaskScheduler.Default);
                }
            });
        });
}
