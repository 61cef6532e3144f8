namespace Poolhouse.Servers.Internal;

/// <summary>What a required role means for a server.</summary>
internal static class RequiredRoles
{
    /// <summary>Whether no server with another role may be used.</summary>
    public static bool IsStrict(this RequiredRole required) => required is RequiredRole.Primary or RequiredRole.Standby;
}
