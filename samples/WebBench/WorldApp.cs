using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Npgsql;

namespace Poolhouse.Samples.WebBench;

/// <summary>The four database tests of TechEmpower's web benchmarks: single query, multiple queries, fortunes, updates.</summary>
internal static partial class WorldApp
{
    private const int MostQueries = 500;

    /// <summary>Creates the tables, or does nothing where they are.</summary>
    public static async Task SeedAsync(string connectionString, CancellationToken cancellationToken)
    {
        await using var source = NpgsqlDataSource.Create(new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false });
        await using var command = source.CreateCommand(
            $"""
            CREATE TABLE IF NOT EXISTS world (id int PRIMARY KEY, randomnumber int NOT NULL);
            INSERT INTO world SELECT n, n FROM generate_series(1, {World.Count}) AS n ON CONFLICT DO NOTHING;
            CREATE TABLE IF NOT EXISTS fortune (id int PRIMARY KEY, message text NOT NULL);
            INSERT INTO fortune SELECT n, 'A pool is as good as its ' || n || '. <returns>' FROM generate_series(1, 12) AS n ON CONFLICT DO NOTHING;
            ANALYZE;
            """);
        await command.ExecuteNonQueryAsync(cancellationToken);
    }

    /// <summary>The app on a free port of 127.0.0.1; it is not started yet.</summary>
    public static WebApplication Build(IWorldStore store, string url = "http://127.0.0.1:0")
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls(url);
        builder.Logging.ClearProviders();
        builder.Services.ConfigureHttpJsonOptions(
            options => options.SerializerOptions.TypeInfoResolverChain.Insert(0, WorldJson.Default));
        var app = builder.Build();
        app.MapGet(
            "/db", async (HttpContext context) =>
                TypedResults.Json(await store.ReadAsync(context.RequestAborted), WorldJson.Default.World));
        app.MapGet("/queries", async (HttpContext context) =>
            TypedResults.Json(await store.ReadAsync(CountOf(context), context.RequestAborted), WorldJson.Default.WorldArray));
        app.MapGet("/fortunes", async (HttpContext context) =>
            TypedResults.Content(PageOf(await store.ReadFortunesAsync(context.RequestAborted)), "text/html; charset=utf-8"));
        app.MapGet("/updates", async (HttpContext context) =>
            TypedResults.Json(await store.UpdateAsync(CountOf(context), context.RequestAborted), WorldJson.Default.WorldArray));
        return app;
    }

    private static int CountOf(HttpContext context) =>
        int.TryParse(context.Request.Query["queries"], NumberStyles.None, CultureInfo.InvariantCulture, out var count)
            ? Math.Clamp(count, 1, MostQueries)
            : 1;

    private static string PageOf(List<Fortune> fortunes)
    {
        fortunes.Add(new Fortune { Message = "Additional fortune added at request time." });
        fortunes.Sort(static (one, other) => string.CompareOrdinal(one.Message, other.Message));
        var page = new StringBuilder(
            "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>");
        foreach (var fortune in fortunes)
        {
            page.Append(
                CultureInfo.InvariantCulture,
                $"<tr><td>{fortune.Id}</td><td>{HtmlEncoder.Default.Encode(fortune.Message)}</td></tr>");
        }

        return page.Append("</table></body></html>").ToString();
    }

    [JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
    [JsonSerializable(typeof(World))]
    [JsonSerializable(typeof(World[]))]
    private sealed partial class WorldJson : JsonSerializerContext;
}
