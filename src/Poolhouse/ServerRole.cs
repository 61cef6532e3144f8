namespace Poolhouse;

/// <summary>What a server accepts, as far as its server set knows.</summary>
public enum ServerRole
{
    /// <summary>
    /// The role was not determined since the server failed, or since an error showed that it had changed; or no pool requires
    /// one.
    /// </summary>
    Unknown,

    /// <summary>The server accepts writes.</summary>
    Primary,

    /// <summary>The server is read-only: it is a standby, a replica, or was set to read-only.</summary>
    Standby,
}
