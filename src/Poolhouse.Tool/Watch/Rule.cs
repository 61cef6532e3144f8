namespace Poolhouse.Tool.Watch;

/// <summary>What is wrong with a pool. The order is that of the rows: what needs attention first is last here.</summary>
internal enum Rule
{
    None,
    TooLarge,
    Draining,
    Suspended,
    Leak,
    MoreUses,
    SlowUses,
    NoRoom,
    Outage,
}
