using OpenTelemetry.Metrics;
using Poolhouse.OpenTelemetry;

var builder = new Builder();
builder.AddPoolhouse();
Console.WriteLine(
    builder.Meters.Contains("Poolhouse") && PoolhouseInstruments.CreateTime.Length > 0 ? "OK Poolhouse.OpenTelemetry" : "not OK");

internal sealed class Builder : MeterProviderBuilder
{
    public List<string> Meters { get; } = [];

    public override MeterProviderBuilder AddMeter(params string[] names)
    {
        Meters.AddRange(names);
        return this;
    }

    public override MeterProviderBuilder AddInstrumentation<TInstrumentation>(Func<TInstrumentation> instrumentationFactory) =>
        this;
}
