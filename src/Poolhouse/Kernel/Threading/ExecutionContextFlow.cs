namespace Poolhouse.Kernel.Threading;

/// <summary>What goes on after its caller neither sees the caller's ExecutionContext nor keeps it alive (I26).</summary>
internal static class ExecutionContextFlow
{
    /// <summary>Begins something outside of it.</summary>
    public static TResult RunSuppressed<TState, TResult>(TState state, Func<TState, TResult> begin)
    {
        if (ExecutionContext.IsFlowSuppressed())
        {
            return begin(state);
        }

        using (ExecutionContext.SuppressFlow())
        {
            return begin(state);
        }
    }
}
