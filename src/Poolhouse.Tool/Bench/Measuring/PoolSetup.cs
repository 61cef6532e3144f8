namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>A pool set up for a cell.</summary>
/// <param name="Make">The operation of a worker, by its number.</param>
/// <param name="Owner">What to dispose in the end, if anything.</param>
internal sealed record PoolSetup<TOperation>(Func<int, TOperation> Make, IDisposable? Owner = null)
    where TOperation : struct, IOperation;
