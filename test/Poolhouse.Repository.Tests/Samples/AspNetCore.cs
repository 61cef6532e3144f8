using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Net.Http.Json;
using Microsoft.AspNetCore.Builder;
using Poolhouse.Samples;

namespace Poolhouse.Repository.Tests.Samples;

/// <summary>The web app, unchanged, on the pools of .NET and on Poolhouse, called over the socket by a real client.</summary>
public sealed class AspNetCore
{
    private const int Clients = 16;
    private const int Rounds = 50;

    [Fact]
    public async Task The_app_answers_the_same_with_and_without_Poolhouse()
    {
        var (ours, _) = await AskAppAsync("--Poolhouse=true");
        var (theirs, report) = await AskAppAsync("--Poolhouse=false");

        Assert.Equal(Clients * Rounds * 4, ours.Length);
        Assert.Equal(theirs, ours);
        Assert.Empty(report.Pools);
    }

    [Fact]
    public async Task Every_pool_of_the_app_uses_Poolhouse_and_all_items_are_returned()
    {
        var (_, report) = await AskAppAsync();

        Assert.Equal(3, report.Pools.Count);
        Assert.All(report.Pools.Select(pool => pool.Statistics), statistics =>
        {
            Assert.Equal(Clients * Rounds, statistics.Rented);
            Assert.Equal(Clients * Rounds, statistics.Returned);
            Assert.InRange(statistics.Hits, Clients * Rounds * 9 / 10, (Clients * Rounds) - 1);
            Assert.Equal(statistics.Rented, statistics.Hits + statistics.Misses);
            Assert.Equal(0, statistics.Leased);
            Assert.Equal(0, statistics.DoubleReturns);
        });
    }

    [Theory]
    [InlineData("--Poolhouse=true")]
    [InlineData("--Poolhouse=false")]
    public async Task Every_rented_item_is_clean(string pools)
    {
        var (_, report) = await AskAppAsync(pools);

        Assert.Equal(0, report.Dirty);
    }

    [Fact]
    public async Task Pools_of_the_framework_use_Poolhouse()
    {
        await using var app = WebApp.Build();
        await app.StartAsync();
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };

        Assert.Equal("true", await client.GetStringAsync(new Uri("/token", UriKind.Relative)));

        // Antiforgery makes its pool from the provider of the app; only the metrics can see it.
        Assert.Contains(PoolsInMetrics(), name => name.StartsWith("AntiforgerySerializationContext", StringComparison.Ordinal));
        await app.StopAsync();
    }

    [Fact]
    public async Task A_pool_registered_as_a_service_is_disposed_with_the_app()
    {
        var (_, report) = await AskAppAsync();

        // The container disposes what it made. The pool that Greeter made for itself is garbage, which is gone at some time.
        var sheets = Assert.Single(
            report.Pools.Select(pool => pool.Name), name => name.StartsWith(nameof(Sheet), StringComparison.Ordinal));
        Assert.DoesNotContain(sheets, PoolsInMetrics());
    }

    private static async Task<(string[] Answers, PoolReport Report)> AskAppAsync(params string[] args)
    {
        await using var app = WebApp.Build(args);
        await app.StartAsync();
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };

        var answers = await Task.WhenAll(Enumerable.Range(0, Clients).Select(number => AskAsync(client, number)));
        var report = await client.GetFromJsonAsync<PoolReport>(new Uri("/pools", UriKind.Relative));
        await app.StopAsync();
        return ([.. answers.SelectMany(each => each)], report!);
    }

    private static async Task<List<string>> AskAsync(HttpClient client, int number)
    {
        var answers = new List<string>();
        for (var round = 0; round < Rounds; round++)
        {
            string[] paths = [$"/count?to={round}", $"/sum?n={number}&n={round}", $"/greet/{number}-{round}", "/token"];
            foreach (var path in paths)
            {
                answers.Add(await client.GetStringAsync(new Uri(path, UriKind.Relative)));
            }
        }

        return answers;
    }

    private static IReadOnlyCollection<string> PoolsInMetrics()
    {
        var names = new ConcurrentDictionary<string, bool>(StringComparer.Ordinal);
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listening) =>
        {
            if (string.Equals(instrument.Name, "poolhouse.pool.item.creations", StringComparison.Ordinal))
            {
                listening.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) => names.TryAdd((string)tags[0].Value!, value: true));
        listener.Start();
        listener.RecordObservableInstruments();
        return [.. names.Keys];
    }
}
