namespace Poolhouse.Servers;

/// <summary>Which <see cref="ServerRole"/> the server of a new item must have.</summary>
public enum RequiredRole
{
    /// <summary>Any server is used, and roles are not determined.</summary>
    Any,

    /// <summary>
    /// Only a primary is used. While there is none, creations fail, and one at a time asks each standby whether it was promoted.
    /// </summary>
    Primary,

    /// <summary>A standby is used while one is available, else a primary.</summary>
    PreferStandby,

    /// <summary>
    /// Only a standby is used. While there is none, creations fail, and one at a time asks each primary whether it was demoted.
    /// </summary>
    Standby,
}
