namespace Poolhouse.Workers.Items;

/// <summary>The result type of work that returns no result.</summary>
internal readonly struct NoResult;
