namespace Poolhouse.Explorer.Scheduling;

/// <summary>Chooses the actor that continues, run after run.</summary>
internal abstract class Strategy
{
    /// <summary>Prepares the next run.</summary>
    /// <returns>False when there is no further schedule to try.</returns>
    public abstract bool BeginRun();

    /// <summary>Chooses one of several candidates.</summary>
    /// <param name="candidates">Numbers of actors.</param>
    /// <param name="canStay">Whether the first of them has the baton: then any other choice preempts it.</param>
    /// <returns>The index of the chosen actor among the candidates.</returns>
    public abstract int Choose(IReadOnlyList<int> candidates, bool canStay);
}
