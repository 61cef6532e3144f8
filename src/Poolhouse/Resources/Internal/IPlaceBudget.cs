namespace Poolhouse.Resources;

/// <summary>Places that several pools share: a keyed pool's bound over all its keys.</summary>
internal interface IPlaceBudget
{
    /// <summary>Takes a place, or notes that this pool wants one. Called under the pool's gate: must not call back.</summary>
    bool TryTake(object pool);

    /// <summary>Gives places back. Called outside the gate.</summary>
    void Release(int places);

    /// <summary>A place was wanted and not there. Called outside the gate: may call any pool.</summary>
    void Press();
}
