namespace Poolhouse.Workers;

/// <summary>What an item of work was doing when its timeout elapsed.</summary>
public enum WorkPhase
{
    /// <summary>It had not started: all workers were busy.</summary>
    Queue,

    /// <summary>
    /// It had not started, because the state of its worker was being created. Also the phase of a state created ahead of demand.
    /// </summary>
    Create,

    /// <summary>It was running, or its state was being checked after it.</summary>
    Run,
}
