namespace Poolhouse.Resources.Engine.Core;

/// <summary>The reasons why rents and returns must go through the gate; with none, they may use the hot cells.</summary>
[Flags]
internal enum SlowPathReasons
{
    None = 0,

    /// <summary>Callers are waiting and must not be overtaken.</summary>
    Waiting = 1,
    Suspended = 2,

    /// <summary>The pool is draining or closed.</summary>
    Closing = 4,

    /// <summary>More items are alive than the capacity allows: returned ones are destroyed.</summary>
    Surplus = 8,

    /// <summary>The idle order allows no cells.</summary>
    Fifo = 16,
}
