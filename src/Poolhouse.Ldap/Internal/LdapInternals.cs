using System.DirectoryServices.Protocols;
using System.Net;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Poolhouse.Ldap.Internal;

/// <summary>The private members of System.DirectoryServices.Protocols that identities are guarded with (ADR 0020).</summary>
// Tried once a process, by a connection that is never opened: where one of them is missing, the pool binds again after every
// lease instead of trusting what it saw.
internal static class LdapInternals
{
    // No connection can be made to it, and no packet leaves the machine for it.
    private const string Nowhere = "255.255.255.255:1";
    private const string FallbackSwitch = "System.DirectoryServices.Protocols.UseBasicAuthFallback";

    private static readonly bool _isThere = Probe();

    // Its type is not public, so an accessor could not name it.
    private static readonly FieldInfo? _handle = typeof(LdapConnection).GetField("_ldapHandle", BindingFlags.Instance | BindingFlags.NonPublic);

    /// <summary>Does once a process what must be done before the first connection is made.</summary>
    public static void Prepare() => _ = _isThere;

    /// <summary>
    /// Whether a bind through the base class may pass unseen, so that every lease must be followed by one of the pool's.
    /// </summary>
    public static bool SeesNothing { get; } = !_isThere || (AppContext.TryGetSwitch(FallbackSwitch, out var isOn) && isOn);

    /// <summary>The credential object that the base class holds: another one after each bind with a credential.</summary>
    public static NetworkCredential? CredentialOf(DirectoryConnection connection) => _isThere ? Credential(connection) : null;

    /// <summary>
    /// Sees to it that a connection which loses its server stays lost: by itself it would reconnect, and go on anonymous.
    /// </summary>
    public static void KeepFromReconnecting(LdapConnection connection, LdapSessionOptions options)
    {
        if (OperatingSystem.IsWindows())
        {
            options.AutoReconnect = false;
        }
        else if (_isThere)
        {
            // libldap reconnects to the address that it was told last.
            ref var identifier = ref Identifier(connection);
            var real = identifier;
            identifier = new LdapDirectoryIdentifier(Nowhere);
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
    /// Tells libldap the address of the server. The base class does so with the first request or bind only, which is too late for
    /// StartTLS.
    /// </summary>
    /// <returns>Whether that could be done.</returns>
    public static bool TrySetAddress(LdapConnection connection)
    {
        if (_isThere && !OperatingSystem.IsWindows())
        {
            Connect(connection);
            return true;
        }

        return false;
    }

    /// <summary>The socket of a connection that is open, where it can be looked at; otherwise null.</summary>
    public static int? DescriptorOf(LdapConnection connection) =>
        SocketState.CanLook && _handle?.GetValue(connection) is SafeHandle { IsInvalid: false, IsClosed: false } handle
            ? Libldap.DescriptorOf(handle.DangerousGetHandle())
            : null;

    private static bool Probe()
    {
        try
        {
            using var connection = new LdapConnection(new LdapDirectoryIdentifier(Nowhere), new NetworkCredential("a", "b"), AuthType.Basic);
            var isThere = Credential(connection) is { UserName: "a" } && Identifier(connection) is LdapDirectoryIdentifier;
            if (!OperatingSystem.IsWindows())
            {
                Connect(connection);
            }

            Libldap.TryRestartAfterSignals();
            return isThere;
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
