using System.Buffers;
using System.Globalization;
using System.Text;

namespace Poolhouse.Samples.StreamsApi;

/// <summary>Reports that are buffered before they are sent, and uploads that are hashed: both on pooled streams.</summary>
public static class StreamsApp
{
    /// <summary>Builds the app; <c>--urls</c> says where it listens.</summary>
    public static WebApplication Build(params string[] args)
    {
        var builder = WebApplication.CreateSlimBuilder(args);
        builder.Logging.ClearProviders();
        builder.WebHost.UseSetting(WebHostDefaults.ServerUrlsKey, builder.Configuration["urls"] ?? "http://127.0.0.1:0");

        // The container disposes the pools, the streams before the blocks.
        builder.Services.AddSingleton(_ => new TieredArrayPool<byte>(
            new ArrayPoolOptions { Name = "http-blocks", MaxRetainedBytes = 64 << 20 }));
        builder.Services.AddSingleton(services => new StreamPool(
            new StreamPoolOptions { Name = "http-streams", Arrays = services.GetRequiredService<TieredArrayPool<byte>>() }));

        var app = builder.Build();

        app.UseWhen(IsReport, reports => reports.UseMiddleware<ResponseBuffering>());
        app.MapGet("/reports/{lines:int}", (int lines, HttpResponse response) => WriteReport(lines, response.BodyWriter));
        app.MapPost("/files", Upload.HashAsync);
        app.MapGet("/pool", (StreamPool streams) => streams.GetStatistics());

        // snippet: streams-result
        app.MapGet("/exports/{lines:int}", (int lines, StreamPool streams) =>
        {
            var export = streams.Rent("export"); // no using: the result disposes it when it has been sent
            WriteReport(lines, export);
            export.Position = 0;
            return Results.Stream(export, "text/plain", enableRangeProcessing: true);
        });
        // end snippet

        app.MapGet("/reports/broken", FailHalfWayAsync);
        return app;
    }

    private static bool IsReport(HttpContext http) =>
        http.Request.Path.StartsWithSegments("/reports", StringComparison.OrdinalIgnoreCase);

    // In small pieces, as a template or a serializer would.
    private static void WriteReport(int lines, IBufferWriter<byte> writer)
    {
        for (var line = 1; line <= lines; line++)
        {
            Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{line} of {lines}\n"), writer);
        }
    }

    private static async Task FailHalfWayAsync(HttpResponse response)
    {
        WriteReport(lines: 1000, response.BodyWriter);
        await response.BodyWriter.FlushAsync();
        throw new InvalidOperationException("The second half of the report cannot be created.");
    }
}
