using System.Buffers;
using System.Text;
using System.Text.Json;
using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Advise;

/// <summary>Writes advice as JSON, in one line.</summary>
internal static class AdviseJson
{
    private const int MostSites = 20;

    public static string Write(Advice advice)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            json.WriteString("process", advice.Process);
            Write(json, advice.Sample);
            json.WriteStartArray("findings");
            foreach (var finding in advice.Findings)
            {
                Write(json, finding);
            }

            json.WriteEndArray();
            json.WriteStartArray("doNotPool");
            foreach (var remark in advice.Remarks)
            {
                json.WriteStartObject();
                json.WriteString("subject", remark.Subject);
                json.WriteString("reason", remark.Reason);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    private static void Write(Utf8JsonWriter json, Finding finding)
    {
        json.WriteStartObject();
        json.WriteString("rule", finding.Rule);
        json.WriteString("title", finding.Title);
        json.WriteString("where", finding.Where);
        json.WriteString("figures", finding.Figures);
        json.WriteString("threshold", finding.Threshold);
        json.WriteString("code", finding.Code);
        if (finding.Estimate is { } estimate)
        {
            json.WriteStartObject("estimate");
            json.WriteString("quantity", estimate.Quantity);
            json.WriteNumber("before", estimate.Before);
            json.WriteNumber("after", estimate.After);
            json.WriteEndObject();
        }

        json.WriteString("caveat", finding.Caveat);
        json.WriteString("url", finding.Url);
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, Sample sample)
    {
        json.WriteNumber("seconds", sample.Time.TotalSeconds);
        json.WriteStartObject("secondsCounted");
        json.WriteNumber("allocations", Seconds(sample.AllocationsSeen));
        json.WriteNumber("collections", Seconds(sample.CollectionsSeen));
        json.WriteNumber("connections", Seconds(sample.OpeningsSeen));
        json.WriteNumber("requests", Seconds(sample.RequestsSeen));
        json.WriteEndObject();
        json.WriteNumber("processors", sample.Cores);
        json.WriteNumber("allocatedBytesPerSecond", sample.Allocated);
        json.WriteNumber("largeBytesPerSecond", sample.AllocatedLarge);
        json.WriteStartArray("collections");
        foreach (var count in sample.Collections)
        {
            json.WriteNumberValue(count);
        }

        json.WriteEndArray();
        json.WriteNumber("pausedShare", sample.Paused);
        json.WriteStartArray("allocations");
        foreach (var site in sample.Sites.Take(MostSites))
        {
            json.WriteStartObject();
            json.WriteString("type", site.Type);
            json.WriteString("method", site.Method);
            json.WriteString("way", JsonNamingPolicy.KebabCaseLower.ConvertName(site.Way.ToString()));
            json.WriteNumber("bytesPerSecond", site.Bytes);
            json.WriteNumber("size", site.Size);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        WriteConnections(json, sample);
    }

    private static void WriteConnections(Utf8JsonWriter json, Sample sample)
    {
        json.WriteStartArray("http");
        foreach (var host in sample.Http)
        {
            json.WriteStartObject();
            json.WriteString("host", host.Name);
            json.WriteNumber("requests", host.Requests);
            json.WriteNumber("connections", host.Connections.Count);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteStartArray("connections");
        foreach (var peer in sample.Peers)
        {
            json.WriteStartObject();
            json.WriteString("address", peer.Address);
            json.WriteNumber("port", peer.Port);
            json.WriteNumber("opened", peer.Connections.Count);
            json.WriteBoolean("native", peer.IsNative);
            json.WriteString("method", peer.Method);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static double Seconds(TimeSpan? seen) => seen.GetValueOrDefault().TotalSeconds;
}
