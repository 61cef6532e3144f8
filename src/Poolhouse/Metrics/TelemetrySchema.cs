namespace Poolhouse.Metrics;

/// <summary>The semantic conventions of OpenTelemetry whose names the instruments and activities follow.</summary>
internal static class TelemetrySchema
{
    public const string Url = "https://opentelemetry.io/schemas/1.37.0";
}
