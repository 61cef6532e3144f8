namespace Poolhouse.Extensions.Tests.Telemetry;

/// <summary>A series of an instrument: its sum, or the number of measurements of a histogram.</summary>
internal sealed record KeptPoint(
    string Instrument, string Meter, IReadOnlySet<string> Tags, long Value, IReadOnlyList<double> Bounds);
