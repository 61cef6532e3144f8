namespace Poolhouse;

/// <summary>The state of workers that have none.</summary>
public readonly struct NoState;
