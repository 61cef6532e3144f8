namespace Poolhouse.Resources.Engine;

/// <summary>Why rents and returns must go through the gate; none: they may use the hot cells.</summary>
[Flags]
internal enum SlowPathReasons
{
    None = 0,

    /// <summary>Somebody waits: nobody overtakes.</summary>
    Waiting = 1,
    Suspended = 2,

    /// <summary>Draining or closed.</summary>
    Closing = 4,

    /// <summary>More items are alive than the pool may have: returned ones are destroyed.</summary>
    Surplus = 8,

    /// <summary>The idle order allows no cells.</summary>
    Fifo = 16,

    /// <summary>Places are shared with other pools, which may need what becomes idle.</summary>
    Shared = 32,
}
