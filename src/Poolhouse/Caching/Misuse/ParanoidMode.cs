namespace Poolhouse;

/// <summary>Specifies whether a cache checks how its items are used, and what it does when it detects misuse.</summary>
public enum ParanoidMode
{
    /// <summary>
    /// The setting of the process: the environment variable <c>POOLHOUSE_PARANOID</c>, or else the runtime setting
    /// <c>Poolhouse.Paranoid</c>; off if neither is set.
    /// </summary>
    Default = 0,

    /// <summary>Nothing is checked, and rents and returns cost nothing extra.</summary>
    Off = 1,

    /// <summary>Misuse is counted and reported to <see cref="PoolMisuse.Detected"/>. The caller continues.</summary>
    Report = 2,

    /// <summary>
    /// As <see cref="Report"/>, and the call that detects the misuse throws a <see cref="PoolMisuseException"/>.
    /// </summary>
    Throw = 3,
}
