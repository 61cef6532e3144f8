namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>The events in a journal.</summary>
internal enum TrialEvent
{
    /// <summary>A session was requested from the backend.</summary>
    OpenBegun,
    Opened,
    OpenFailed,
    Closed,

    /// <summary>A caller requested an item.</summary>
    Came,

    /// <summary>It got an item; the value is how long it waited, in seconds.</summary>
    Served,

    /// <summary>It got none: it timed out, it was cancelled, or the backend failed.</summary>
    Refused,

    /// <summary>It used its item without a failure; the value is the time since its arrival, in seconds.</summary>
    Done,

    /// <summary>Its item failed.</summary>
    UseFailed,
}
