namespace Poolhouse.Resources.Engine.Items;

/// <summary>What the pool is doing with an entry that is neither idle nor leased.</summary>
internal enum EntryState
{
    None,
    Validating,
    KeepingAlive,
    Resetting,
    Destroying,
}
