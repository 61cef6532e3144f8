namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>What a journal notes.</summary>
internal enum TrialEvent
{
    /// <summary>The backend was asked for a session.</summary>
    OpenBegun,
    Opened,
    OpenFailed,
    Closed,

    /// <summary>A caller asked the pool.</summary>
    Came,

    /// <summary>It got an item; the value is how long it waited, in seconds.</summary>
    Served,

    /// <summary>It was told that there is none: its time was up, it was cancelled, or the backend failed.</summary>
    Refused,

    /// <summary>It used its item without a failure; the value is the time since its arrival, in seconds.</summary>
    Done,

    /// <summary>Its item failed it.</summary>
    UseFailed,
}
