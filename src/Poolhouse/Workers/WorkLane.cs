namespace Poolhouse;

/// <summary>A lane of a worker pool's queue: its share of the workers, and how many items may wait in it.</summary>
/// <param name="Weight">
/// How many items of this lane begin for each one of a lane of weight 1, while both have items: 1 to 1,000. A lane alone gets
/// every worker, whatever its weight.
/// </param>
/// <param name="Capacity"><see cref="WorkerPoolOptions.QueueCapacity"/> for this lane alone; null for that of the
/// options.</param>
/// <remarks>Fair in the manner of stride scheduling (Waldspurger and Weihl, MIT/LCS/TM-528, 1995).</remarks>
public sealed record WorkLane(int Weight = 1, int? Capacity = null);
