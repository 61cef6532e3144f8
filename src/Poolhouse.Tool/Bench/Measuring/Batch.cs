using System.Runtime.CompilerServices;

namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>The measured loop.</summary>
// Short enough to be called often: a method is compiled at the highest tier only when it is called, not while it loops.
internal static class Batch
{
    private const int OperationsPerBatch = 1000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Run<TOperation>(ref TOperation operation, long calls)
        where TOperation : struct, IOperation
    {
        var sum = 0L;
        for (var i = 0L; i < calls; i++)
        {
            sum += operation.Invoke();
        }

        return sum;
    }

    /// <summary>How many calls make a batch of about 1,000 operations.</summary>
    public static long CallsOf(int operationsPerCall) => Math.Max(1, OperationsPerBatch / operationsPerCall);
}
