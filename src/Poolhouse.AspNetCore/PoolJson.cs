using System.Buffers;
using System.Text.Json;

namespace Poolhouse.AspNetCore;

/// <summary>Writes the figures of the pools as JSON.</summary>
internal static class PoolJson
{
    public static byte[] Write(IEnumerable<PoolReport> pools)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes, new JsonWriterOptions { Indented = true }))
        {
            json.WriteStartArray();
            foreach (var pool in pools)
            {
                Write(json, pool);
            }

            json.WriteEndArray();
        }

        return bytes.WrittenSpan.ToArray();
    }

    private static void Write(Utf8JsonWriter json, PoolReport pool)
    {
        var figures = pool.Figures;
        json.WriteStartObject();
        json.WriteString("name", pool.Name);
        json.WriteString("kind", pool.Kind);
        json.WriteString("itemType", pool.ItemType);
        json.WriteString("state", pool.State);
        json.WriteString("explanation", pool.Health.Description);
        json.WriteNumber("leased", figures.Leased);
        if (figures.MaxLeased > 0)
        {
            json.WriteNumber("maxLeased", figures.MaxLeased);
        }

        json.WriteNumber("idle", figures.Idle);
        json.WriteNumber("creating", figures.Creating);
        json.WriteNumber("waiting", figures.Waiting);
        json.WriteNumber("oldestWaitSeconds", figures.OldestWait.TotalSeconds);
        json.WriteNumber("oldestLeaseSeconds", figures.OldestLease.TotalSeconds);
        json.WriteStartArray("oldestLeases");
        foreach (var lease in pool.OldestLeases)
        {
            json.WriteStartObject();
            json.WriteNumber("itemNumber", lease.ItemNumber);
            json.WriteNumber("leasedForSeconds", lease.LeasedFor.TotalSeconds);
            json.WriteString("label", lease.Label);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteNumber("timeouts", figures.Timeouts);
        json.WriteNumber("shed", figures.Shed);
        json.WriteNumber("createFailures", figures.CreateFailures);
        json.WriteBoolean("inOutage", figures.InOutage);
        json.WriteBoolean("suspended", figures.Suspended);
        json.WriteBoolean("reloadRejected", pool.ReloadRejected);
        json.WriteEndObject();
    }
}
