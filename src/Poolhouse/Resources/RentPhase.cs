namespace Poolhouse;

/// <summary>What a caller was waiting for when its time was up.</summary>
public enum RentPhase
{
    /// <summary>For another caller to return an item: all of them were leased.</summary>
    Return,

    /// <summary>For an item that was being created.</summary>
    Create,

    /// <summary>For an item that was being validated.</summary>
    Validate,

    /// <summary>For an item that was being reset after its return.</summary>
    Reset,

    /// <summary>For an item that was being destroyed, so that its place would be free.</summary>
    Destroy,

    /// <summary>For the next attempt after creations had failed.</summary>
    Outage,

    /// <summary>For <see cref="ResourcePool{T}.Resume"/>.</summary>
    Suspended,

    /// <summary>For a worker to begin an item of work: all of them were busy.</summary>
    Queue,

    /// <summary>For an item of work to end, which ran for longer than it may.</summary>
    Run,
}
