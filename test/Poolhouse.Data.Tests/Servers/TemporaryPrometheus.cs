using System.Globalization;
using System.Text.Json;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

/// <summary>A Prometheus on a free port of 127.0.0.1 that scrapes one app twice a second and evaluates rules as often.</summary>
internal sealed class TemporaryPrometheus : IAsyncDisposable
{
    private readonly ServerFolder _folder;
    private readonly ServerProcess _process;
    private readonly HttpClient _client;

    private TemporaryPrometheus(ServerFolder folder, ServerProcess process, HttpClient client)
    {
        _folder = folder;
        _process = process;
        _client = client;
    }

    /// <param name="target">The address of the app, which has the path /metrics.</param>
    /// <param name="rules">The file of alert rules.</param>
    /// <param name="cancellationToken">Ends the wait until it is ready.</param>
    public static async Task<TemporaryPrometheus> StartAsync(Uri target, string rules, CancellationToken cancellationToken)
    {
        Assert.SkipWhen(ServerPrograms.Find("prometheus") is null, "Prometheus is not installed (Debian: prometheus).");
        var folder = ServerFolder.Create();
        var port = LoopbackPort.Find();
        var configuration = folder.At("prometheus.yml");
        await File.WriteAllTextAsync(folder.At("rules.yml"), rules, cancellationToken);
        await File.WriteAllTextAsync(
            configuration,
            $$"""
            global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}
            rule_files: [{{folder.At("rules.yml")}}]
            scrape_configs: [{job_name: shop, static_configs: [{targets: ['{{target.Authority}}']}]}]
            """,
            cancellationToken);
        var process = ServerProcess.Start(
            folder,
            [
                ServerPrograms.Find("prometheus")!, $"--config.file={configuration}", $"--storage.tsdb.path={folder.At("data")}",
                string.Create(CultureInfo.InvariantCulture, $"--web.listen-address=127.0.0.1:{port}"),
            ]);
        var client = new HttpClient { BaseAddress = new UriBuilder(Uri.UriSchemeHttp, "127.0.0.1", port).Uri };
        var server = new TemporaryPrometheus(folder, process, client);
        try
        {
            await process.WaitUntilAsync(() => server.IsReady(), cancellationToken);
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>The names of the alerts that fire now.</summary>
    public async Task<IReadOnlyCollection<string>> FiringAsync(CancellationToken cancellationToken)
    {
        var alerts = await GetAsync("/api/v1/alerts", cancellationToken);
        return
        [
            .. alerts.GetProperty("alerts").EnumerateArray()
                .Where(alert => alert.GetProperty("state").ValueEquals("firing"))
                .Select(alert => alert.GetProperty("labels").GetProperty("alertname").GetString()!),
        ];
    }

    /// <summary>The series that a query results in now, each with its labels.</summary>
    public async Task<IReadOnlyCollection<string>> QueryAsync(string query, CancellationToken cancellationToken)
    {
        var data = await GetAsync($"/api/v1/query?query={Uri.EscapeDataString(query)}", cancellationToken);
        return [.. data.GetProperty("result").EnumerateArray().Select(series => series.GetProperty("metric").GetRawText())];
    }

    public async ValueTask DisposeAsync()
    {
        await _process.StopAsync("TERM");
        _process.Dispose();
        _client.Dispose();
        _folder.Dispose();
    }

    private bool IsReady()
    {
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("/-/ready", UriKind.Relative));
            using var response = _client.Send(request);
            return response.IsSuccessStatusCode;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }

    private async Task<JsonElement> GetAsync(string path, CancellationToken cancellationToken)
    {
        using var response = await _client.GetAsync(new Uri(path, UriKind.Relative), cancellationToken);
        var text = await response.Content.ReadAsStringAsync(cancellationToken);
        Assert.True(response.IsSuccessStatusCode, $"{path}: {text}");
        return JsonElement.Parse(text).GetProperty("data");
    }
}
