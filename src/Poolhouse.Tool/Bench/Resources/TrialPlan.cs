namespace Poolhouse.Tool.Bench.Resources;

/// <summary>A trial to be made.</summary>
internal sealed record TrialPlan(string Rival, Func<CancellationToken, Task<Trial>> RunAsync)
{
    /// <summary>The trials of rivals that take turns: the first trial measures all of them.</summary>
    /// <param name="rivals">The rivals.</param>
    /// <param name="measureAsync">Measures them, and returns the results of each.</param>
    /// <param name="trialOf">Makes the trial of a rival from its results.</param>
    public static IReadOnlyList<TrialPlan> InTurns<TResult>(
        IEnumerable<string> rivals,
        Func<CancellationToken, Task<ILookup<string, TResult>>> measureAsync,
        Func<string, IReadOnlyList<TResult>, Trial> trialOf)
    {
        ILookup<string, TResult>? results = null;
        return [.. rivals.Select(rival => new TrialPlan(rival, async cancellation =>
        {
            results ??= await measureAsync(cancellation).ConfigureAwait(false);
            return trialOf(rival, [.. results[rival]]);
        }))];
    }
}
