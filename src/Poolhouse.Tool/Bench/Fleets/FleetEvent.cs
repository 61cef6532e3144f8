namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>What happened to a fleet.</summary>
/// <param name="At">Seconds.</param>
/// <param name="Label">In a few words.</param>
/// <param name="Members">The processes that can share from then on: those that live and are neither stopped nor cut off.</param>
internal sealed record FleetEvent(double At, string Label, IReadOnlyList<string> Members);
