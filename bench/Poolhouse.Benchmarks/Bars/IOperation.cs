namespace Poolhouse.Benchmarks.Bars;

/// <summary>
/// One kind of use of one pool. Each implementation is a struct, so each gets a loop that the JIT compiles for it alone.
/// </summary>
internal interface IOperation
{
    /// <summary>The number of operations per call.</summary>
    static virtual int PairsPerCall => Timing.PairsPerCall;

    /// <summary>Does <paramref name="pairs"/> rents and returns on the calling thread.</summary>
    static abstract void Run(int pairs);
}
