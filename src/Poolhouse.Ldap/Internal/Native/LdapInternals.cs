using System.DirectoryServices.Protocols;
using System.Net;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Poolhouse.Ldap.Internal.Native;

/// <summary>The private members of System.DirectoryServices.Protocols that protect identities (ADR 0020).</summary>
// Tested once per process on a connection that is never opened: if one of them is missing, the pool binds again after every
// lease instead of relying on them.
internal static class LdapInternals
{
    // No connection can be made to it, and no packet leaves the machine for it.
    private const string UnreachableAddress = "255.255.255.255:1";
    private const string FallbackSwitch = "System.DirectoryServices.Protocols.UseBasicAuthFallback";

    private static readonly bool _areFound = Probe();

    // Its type is not public, so an accessor could not name it.
    private static readonly FieldInfo? _handle =
        typeof(LdapConnection).GetField("_ldapHandle", BindingFlags.Instance | BindingFlags.NonPublic);

    /// <summary>Prepares the process before the first connection is created. Runs once.</summary>
    public static void Prepare() => _ = _areFound;

    /// <summary>
    /// Whether a bind through the base class may be undetected, so that the pool must bind again after every lease.
    /// </summary>
    public static bool CannotDetectBinds { get; } = !_areFound || (AppContext.TryGetSwitch(FallbackSwitch, out var isOn) && isOn);

    /// <summary>The credential object of the base class. It changes with each bind with a credential.</summary>
    public static NetworkCredential? CredentialOf(DirectoryConnection connection) => _areFound ? Credential(connection) : null;

    /// <summary>
    /// Ensures that a connection that loses its server stays lost. By default it would reconnect and continue anonymously.
    /// </summary>
    /// <param name="connection">The connection, open.</param>
    /// <param name="options">Its options.</param>
    /// <param name="handle">What <see cref="HandleOf"/> returned for it.</param>
    public static void KeepFromReconnecting(LdapConnection connection, LdapSessionOptions options, nint handle)
    {
        if (OperatingSystem.IsWindows())
        {
            options.AutoReconnect = false;
        }
        else if (!(handle != 0 && Libldap.TryClearServers(handle)) && _areFound)
        {
            // libldap reconnects to the address that was set last. Each comparison of the options formats that address, which
            // takes longer than the rest of a return: an empty list of servers is the better way.
            ref var identifier = ref Identifier(connection);
            var real = identifier;
            identifier = new LdapDirectoryIdentifier(UnreachableAddress);
            try
            {
                Connect(connection);
            }
            finally
            {
                identifier = real;
            }
        }
    }

    /// <summary>
    /// Passes the address of the server to libldap. The base class does so only with the first request or bind, which is too late
    /// for StartTLS.
    /// </summary>
    /// <returns>Whether it succeeded.</returns>
    public static bool TrySetAddress(LdapConnection connection)
    {
        if (_areFound && !OperatingSystem.IsWindows())
        {
            Connect(connection);
            return true;
        }

        return false;
    }

    /// <summary>The handle of libldap for an open connection, which the base class keeps owning; 0 if it is unknown.</summary>
    public static nint HandleOf(LdapConnection connection) =>
        !OperatingSystem.IsWindows() && _handle?.GetValue(connection) is SafeHandle { IsInvalid: false, IsClosed: false } handle
            ? handle.DangerousGetHandle()
            : 0;

    private static bool Probe()
    {
        try
        {
            using var connection = new LdapConnection(
                new LdapDirectoryIdentifier(UnreachableAddress), new NetworkCredential("a", "b"), AuthType.Basic);
            var areFound = Credential(connection) is { UserName: "a" } && Identifier(connection) is LdapDirectoryIdentifier;
            if (!OperatingSystem.IsWindows())
            {
                Connect(connection);
            }

            Libldap.TryRestartAfterSignals();
            return areFound;
        }
        catch (Exception missing) when (missing is MissingFieldException or MissingMethodException or LdapException)
        {
            return false;
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_directoryCredential")]
    private static extern ref NetworkCredential? Credential(DirectoryConnection connection);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_directoryIdentifier")]
    private static extern ref DirectoryIdentifier Identifier(DirectoryConnection connection);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "Connect")]
    private static extern void Connect(LdapConnection connection);
}
