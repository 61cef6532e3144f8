namespace Poolhouse.Workers;

/// <summary>The state type of workers that have no state.</summary>
public readonly struct NoState;
