namespace Poolhouse.Workers;

/// <summary>A lane of a worker pool's queue: its share of the workers and its capacity.</summary>
/// <param name="Weight">
/// How many items of this lane start for each item of a lane of weight 1, while both have items: 1 to 1,000. If only one lane has
/// items, it gets every worker, whatever its weight.
/// </param>
/// <param name="Capacity">
/// The capacity of this lane; overrides <see cref="WorkerPoolOptions.QueueCapacity"/>. If null, the value of the options applies.
/// </param>
/// <remarks>The lanes are scheduled by stride scheduling (Waldspurger and Weihl, MIT/LCS/TM-528, 1995).</remarks>
public sealed record WorkLane(int Weight = 1, int? Capacity = null);
