namespace Poolhouse.Workers;

/// <summary>The state of workers that have none.</summary>
public readonly struct NoState;
