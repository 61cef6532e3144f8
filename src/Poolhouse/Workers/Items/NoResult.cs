namespace Poolhouse.Workers.Items;

/// <summary>The result of work that has none.</summary>
internal readonly struct NoResult;
