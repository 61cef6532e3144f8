namespace Poolhouse.Simulation;

internal enum Hook
{
    Create,
    Validate,
    Reset,
    KeepAlive,
    Destroy,

    /// <summary>The destruction of an item whose creation was abandoned: it holds no capacity.</summary>
    DestroyLate,
}

/// <summary>One call of a hook of the policy.</summary>
internal sealed class HookCall(Hook hook, SimulatedItem? item, long startedAt, long limit)
{
    public Hook Hook { get; } = hook;

    public SimulatedItem? Item { get; } = item;

    public long StartedAt { get; } = startedAt;

    /// <summary>The start of its time limit: earlier, if it shares the deadline of the previous call.</summary>
    public long Since { get; init; } = startedAt;

    public long Limit { get; } = limit;

    /// <summary>The earliest time at which the pool may abandon it.</summary>
    public long Deadline { get; } = limit == long.MaxValue ? long.MaxValue : startedAt + limit;

    /// <summary>The number of clears before it began.</summary>
    public int Generation { get; init; }

    public bool HasEnded { get; set; }

    /// <summary>Records that the item of this call must not be rented again.</summary>
    /// <returns>False, the result of the hook.</returns>
    public bool Doom(string why)
    {
        if (Item is not null)
        {
            Item.Doom ??= why;
        }

        return false;
    }
}
