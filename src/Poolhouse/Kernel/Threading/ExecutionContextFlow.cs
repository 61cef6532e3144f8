namespace Poolhouse.Kernel.Threading;

/// <summary>
/// Keeps work that outlives its caller from seeing the caller's ExecutionContext or keeping it alive (I26).
/// </summary>
internal static class ExecutionContextFlow
{
    /// <summary>Starts an operation without the caller's ExecutionContext.</summary>
    public static TResult RunSuppressed<TState, TResult>(TState state, Func<TState, TResult> begin)
    {
        using (ExecutionContext.SuppressFlow())
        {
            return begin(state);
        }
    }
}
