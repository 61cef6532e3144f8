namespace Poolhouse.Workers.Items;

/// <summary>
/// Turns delegates of all kinds into the one kind that work items call: a function of the state and an argument.
/// </summary>
internal static class DelegateAdapters<TState>
    where TState : notnull
{
    public static readonly Func<TState, Action<TState>, NoResult> OfAction = static (state, work) =>
    {
        work(state);
        return default;
    };

    public static readonly Func<TState, Func<TState, Task>, Task> OfAsync = static (state, work) => work(state);

    public static readonly Func<Task, NoResult> NoResultOf = static task =>
    {
#pragma warning disable VSTHRD002 // It has completed.
        task.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
        return default;
    };

    /// <summary>For actions with an argument.</summary>
    public static class With<TArgument>
    {
        public static readonly Func<TState, (Action<TState, TArgument> Work, TArgument Argument), NoResult> OfAction =
            static (state, call) =>
        {
            call.Work(state, call.Argument);
            return default;
        };
    }

    /// <summary>For functions, and for tasks that have completed.</summary>
    public static class Returning<TResult>
    {
        public static readonly Func<TState, Func<TState, TResult>, TResult> OfFunction = static (state, work) => work(state);

#pragma warning disable VSTHRD002 // It has completed.
        public static readonly Func<Task, TResult> ResultOf = static task => ((Task<TResult>)task).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }
}
