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

    /// <summary>When its time began to run: earlier, if the deadline is that of the call before it.</summary>
    public long Since { get; init; } = startedAt;

    public long Limit { get; } = limit;

    /// <summary>When the pool may give it up, and not earlier.</summary>
    public long Deadline { get; } = limit == long.MaxValue ? long.MaxValue : startedAt + limit;

    /// <summary>Which clears happened before it began.</summary>
    public int Generation { get; init; }

    public bool HasEnded { get; set; }

    /// <summary>The item of this call must not be rented again.</summary>
    /// <returns>False, as the hook says it.</returns>
    public bool Doom(string why)
    {
        if (Item is not null)
        {
            Item.Doom ??= why;
        }

        return false;
    }
}
