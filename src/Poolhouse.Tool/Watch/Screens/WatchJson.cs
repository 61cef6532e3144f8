using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Poolhouse.Tool.Watch.Screens;

/// <summary>What is known of the pools of a process as JSON, in one line.</summary>
internal static class WatchJson
{
    public static string Write(string process, DateTime time, string version, IReadOnlyList<Diagnosis> pools)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            json.WriteString("process", process);
            json.WriteString("time", time.ToUniversalTime());
            json.WriteString("poolhouse", version);
            json.WriteStartArray("pools");
            foreach (var pool in pools)
            {
                Write(json, pool);
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    private static void Write(Utf8JsonWriter json, Diagnosis diagnosis)
    {
        var pool = diagnosis.Pool;
        json.WriteStartObject();
        json.WriteString("name", pool.Name);
        json.WriteString("kind", pool.Kind);
        json.WriteString("condition", pool.Condition.ToString());
        json.WriteString("rule", JsonNamingPolicy.KebabCaseLower.ConvertName(diagnosis.Rule.ToString()));
        json.WriteString("verdict", diagnosis.Verdict);
        json.WriteString("figures", diagnosis.Figures);
        json.WriteString("change", diagnosis.Change);
        json.WriteString("next", diagnosis.Next);
        json.WriteString("url", diagnosis.Url);
        WriteFigures(json, pool);
        WriteHolders(json, pool);
        WriteServers(json, pool);
        json.WriteEndObject();
    }

    private static void WriteFigures(Utf8JsonWriter json, PoolSnapshot pool)
    {
        json.WriteNumber("max", pool.Max);
        json.WriteNumber("leased", pool.Leased);
        json.WriteNumber("idle", pool.Idle);
        json.WriteNumber("creating", pool.Creating);
        json.WriteNumber("peak", pool.Peak);
        json.WriteNumber("waiting", pool.Waiting);
        json.WriteNumber("oldestWaitSeconds", pool.OldestWait.TotalSeconds);
        json.WriteNumber("oldestLeaseSeconds", pool.OldestLease.TotalSeconds);
        json.WriteNumber("meanUseSeconds", pool.MeanUse.TotalSeconds);
        json.WriteNumber("rented", pool.Rented);
        json.WriteNumber("waits", pool.Waits);
        json.WriteNumber("timeouts", pool.Timeouts);
        json.WriteNumber("shed", pool.Shed);
        json.WriteNumber("createFailures", pool.CreateFailures);
        json.WriteString("failure", pool.Failure);
    }

    private static void WriteHolders(Utf8JsonWriter json, PoolSnapshot pool)
    {
        json.WriteStartArray("holders");
        foreach (var holder in pool.Holders)
        {
            json.WriteStartObject();
            json.WriteString("label", holder.Label);
            json.WriteNumber("leases", holder.Count);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteStartArray("oldestLeases");
        foreach (var lease in pool.OldestLeases)
        {
            json.WriteStartObject();
            json.WriteNumber("ageSeconds", lease.Age.TotalSeconds);
            json.WriteNumber("item", lease.Item);
            json.WriteString("label", lease.Label);
            json.WriteString("trace", lease.Trace);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteServers(Utf8JsonWriter json, PoolSnapshot pool)
    {
        json.WriteStartArray("servers");
        foreach (var server in pool.Servers)
        {
            json.WriteStartObject();
            json.WriteString("name", server.Name);
            json.WriteString("health", server.Health.ToString());
            json.WriteString("role", server.Role.ToString());
            json.WriteNumber("items", server.Items);
            json.WriteNumber("failuresInRow", server.FailuresInRow);
            json.WriteNumber("downSeconds", server.DownFor.TotalSeconds);
            json.WriteNumber("recheckSeconds", server.RecheckIn.TotalSeconds);
            json.WriteString("failure", server.Failure);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
