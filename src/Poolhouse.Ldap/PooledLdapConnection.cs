using System.Diagnostics.CodeAnalysis;
using System.DirectoryServices.Protocols;
using System.Net;
using System.Security.Cryptography.X509Certificates;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Native;
using Poolhouse.Ldap.Internal.Servers;
using Poolhouse.Servers;

namespace Poolhouse.Ldap;

/// <summary>
/// A connection of an <see cref="LdapConnectionPool"/>: an <see cref="LdapConnection"/> that libraries accept, and that tracks
/// changes of its state which must not affect the next user.
/// </summary>
/// <remarks>
/// <para>
/// After a lease with a bind attempt, successful or not, the pool binds the connection as the service again before its next
/// lease. A connection is destroyed after a lost server, a timeout, an aborted or unfinished request, a disposal, any use of its
/// <see cref="SessionOptions"/> or <see cref="ClientCertificates"/>, and a request that changes the connection (StartTLS,
/// transactions).
/// </para>
/// <para>
/// Several members hide those of the base class, which are not virtual. Calls through a variable of the base type are tracked
/// less precisely, but are safe: a connection that lost its server cannot reconnect, and a bind through the base class fails
/// before anything is sent, unless its
/// <see cref="LdapConnection.AuthType"/> was set there. Blocking calls have no timeout when the server hangs; those of
/// <see cref="LdapConnectionPool.SendAsync{TResponse}"/> do. For one caller at a time.
/// </para>
/// </remarks>
// Invariants
//   a connection that is not leased is bound as the service, or broken, or about to be bound again
//   _unfit = the number of pending requests, and a bit that stays set once the connection is broken
// Between leases AuthType is Parked and AutoBind is off: nothing but Bind of this class makes the base class send a bind.
// Locks: none.
[SuppressMessage(
    "Design", "CA1061:Do not hide base class methods", Justification = "The purpose of the class, because they are not virtual.")]
public sealed partial class PooledLdapConnection : LdapConnection
{
    // Obsolete. On Linux such a bind fails with 86 before anything is sent.
    internal const AuthType Parked = AuthType.Dpa;

    private const int Broken = int.MinValue;

    private readonly ServerLoss _serverLoss;
    private readonly LdapSecurity _security;
    private readonly bool _parks;
    private readonly long _createdAt;
    private readonly CallsInside _calls;
    private AuthType _authType;
    private TimeSpan _timeout;
    private NetworkCredential? _expected;
    private SessionSettings _settings;
    private nint _handle;
    private NativeSettings? _nativeSettings;
    private bool _wasChanged;
    private int _unfit;
    private int? _descriptor;
    private TaskCompletionSource? _whenClosed;

    internal PooledLdapConnection(
        LdapDirectoryIdentifier identifier, LdapServer server, AuthType authType, ServerLoss serverLoss, LdapSecurity security,
        bool parks)
        : base(identifier, credential: null, AuthType.Anonymous)
    {
        _begun = new BegunRequests(this);
        _calls = new CallsInside(Close);
        Server = server;
        _authType = authType;
        _serverLoss = serverLoss;
        _security = security;
        _parks = parks;
        _createdAt = serverLoss.Now;
        base.AuthType = authType;
        base.AutoBind = false;
    }

    /// <summary>The server that it is connected to.</summary>
    public LdapServer Server { get; }

    /// <summary>
    /// Whether it would be destroyed if its lease ended now, because of a change that must not affect its next user, a request
    /// that has not been ended, or a call that is in progress on another thread.
    /// </summary>
    // In this order: a call breaks it before the call ends.
    public bool IsBroken => _calls.AnyOrClosing || Volatile.Read(ref _unfit) != 0;

    /// <summary>
    /// The identity that the server reported after the creation; null if the server was not queried or does not support the
    /// request.
    /// </summary>
    internal string? Identity { get; set; }

    /// <summary>Its position in the set of servers.</summary>
    internal ServerItem<LdapServer, PooledLdapConnection>? Origin { get; set; }

    /// <summary>The version of the service's credential with which it was bound; null if it is for binds of users.</summary>
    internal CredentialVersion? CredentialVersion { get; set; }

    /// <summary>The number of passwords checked on it.</summary>
    internal int Binds { get; set; }

    /// <summary>
    /// Whether it should be replaced: its server was lost since it was created, or a preferred server is available again.
    /// </summary>
    internal bool IsExpired => _createdAt < _serverLoss.LostAt || (Origin?.ShouldFailBack() ?? false);

    /// <summary>
    /// Whether the server has closed the connection while it was not in use, as far as the operating system knows.
    /// </summary>
    internal bool HasHungUp => _descriptor is { } descriptor && SocketState.HasHungUp(descriptor);

    /// <summary>Whether the pool must bind it again or restore settings before the next lease.</summary>
    internal bool NeedsReset => _wasChanged || MayHaveBoundThroughBaseClass();

    /// <summary>
    /// Whether the session options have changed since its creation: a caller changed them through the base class.
    /// </summary>
    // Part of every return, so without the base class, which allocates.
    internal bool HasOtherSettings
    {
        get
        {
            if (_nativeSettings is not { } settings)
            {
                return SessionSettings.Of(base.SessionOptions) != _settings;
            }

            // Inside a call, so that the handle is not freed meanwhile.
            if (!_calls.TryEnter())
            {
                return true;
            }

            var isOther = !Libldap.HasSettings(_handle, settings);
            Leave();
            return isOther;
        }
    }

    /// <summary>
    /// The timeout that the base class passes to libldap for each operation, in whole seconds. The pool restores its own value
    /// after the lease.
    /// </summary>
    /// <remarks>
    /// On Linux, it has no reliable effect while the server hangs: a bind waits indefinitely, and a request almost arbitrarily
    /// long. The timeouts of <see cref="LdapConnectionPool.SendAsync{TResponse}"/> are reliable.
    /// </remarks>
    public override TimeSpan Timeout
    {
        get => base.Timeout;
        set
        {
            _wasChanged = true;
            base.Timeout = value;
        }
    }

    /// <summary>
    /// The credential for the next <see cref="Bind()"/>. The pool binds as the service again before the next lease.
    /// </summary>
    public override NetworkCredential Credential
    {
        set
        {
            _wasChanged = true;
            base.Credential = value;
        }
    }

    /// <summary>How <see cref="Bind()"/> authenticates. The pool restores its own method after the lease.</summary>
    public new AuthType AuthType
    {
        get => _authType;
        set
        {
            _wasChanged = true;
            _authType = value;
        }
    }

    /// <summary>
    /// Whether the first request binds: false, and has no effect on a connection that the pool has bound. Turned off again after
    /// the lease.
    /// </summary>
    public new bool AutoBind
    {
        get => base.AutoBind;
        set
        {
            _wasChanged = true;
            base.AutoBind = value;
        }
    }

    /// <summary>
    /// The options of the native connection. Using them breaks the connection, because changes cannot be detected. Change them in
    /// <see cref="LdapPoolOptions.Configure"/>.
    /// </summary>
    public new LdapSessionOptions SessionOptions
    {
        get
        {
            Break();
            return base.SessionOptions;
        }
    }

    /// <summary>
    /// Certificates for the client. Using them breaks the connection: set them in <see cref="LdapPoolOptions.Configure"/>.
    /// </summary>
    public new X509CertificateCollection ClientCertificates
    {
        get
        {
            Break();
            return base.ClientCertificates;
        }
    }

    /// <summary>
    /// Binds with the <see cref="Credential"/> that was set last. The pool binds as the service again after the lease, whether
    /// the bind succeeds or fails.
    /// </summary>
    /// <exception cref="LdapException">The bind failed: the connection is anonymous now.</exception>
    public new void Bind() => BindRecorded(static (connection, _) => connection.BaseBind(), argument: null);

    /// <summary>
    /// Binds as the given user. The pool binds as the service again after the lease, whether the bind succeeds or fails.
    /// </summary>
    /// <param name="newCredential">The credential of the user.</param>
    /// <remarks>
    /// To check a password, <see cref="LdapConnectionPool.AuthenticateAsync"/> is preferable: it does not use these connections.
    /// </remarks>
    /// <exception cref="LdapException">The bind failed: the connection is anonymous now.</exception>
    public new void Bind(NetworkCredential newCredential) =>
        BindRecorded(static (connection, credential) => connection.BaseBind(credential!), newCredential);

    /// <summary>Marks the connection as unusable for other callers: it is destroyed when the lease ends.</summary>
    internal void Break() => Interlocked.Or(ref _unfit, Broken);

    internal void SetDefaults(TimeSpan timeout)
    {
        // The base class drops fractions of a second: a value below one second would become zero.
        _timeout = TimeSpan.FromSeconds(Math.Ceiling(timeout.TotalSeconds));
        base.Timeout = _timeout;
    }

    internal LdapSessionOptions Options => base.SessionOptions;

    /// <summary>Ends the creation: from now on, changes of the connection are attributed to its users.</summary>
    internal void EndCreation()
    {
        _handle = LdapInternals.HandleOf(this);
        _descriptor = SocketState.CanPoll && _handle != 0 ? Libldap.DescriptorOf(_handle) : null;
        LdapInternals.KeepFromReconnecting(this, base.SessionOptions, _handle);
        _settings = SessionSettings.Of(base.SessionOptions);
        _nativeSettings = _handle != 0 ? Libldap.SettingsOf(_handle) : null;
        Park();
        _wasChanged = false;
        Volatile.Write(ref _unfit, 0);
    }

    /// <summary>Binds as the service.</summary>
    internal void BindService(NetworkCredential? credential, AuthType authType)
    {
        _authType = authType;
        _wasChanged = true;
        Enter();
        try
        {
            base.AuthType = authType;
            base.Credential = credential!;
            BaseBind();
            Park();
            _wasChanged = false;
        }
        catch (Exception failure)
        {
            Inspect(failure);
            throw;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Restores the settings that a user may change without harm.</summary>
    internal void Restore()
    {
        base.Timeout = _timeout;
        base.AutoBind = false;
    }

    /// <summary>Checks a password; for connections that are used for no other requests.</summary>
    internal void BindUser(NetworkCredential credential)
    {
        Binds++;
        Enter();
        try
        {
            BaseBind(credential);
        }
        catch (Exception failure)
        {
            Inspect(failure);
            throw;
        }
        finally
        {
            Leave();
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (!disposing)
        {
            base.Dispose(disposing: false);
            return;
        }

        Break();
        _calls.Close();
    }

    /// <summary>Closes the connection, or lets the last call inside it do so.</summary>
    /// <returns>A task that completes when it is closed.</returns>
    internal Task CloseAsync()
    {
        var whenClosed = _whenClosed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Dispose();
        return whenClosed.Task;
    }

    private void BaseBind() => base.Bind();

    private void BaseBind(NetworkCredential credential) => base.Bind(credential);

    private void BindRecorded(Action<PooledLdapConnection, NetworkCredential?> bind, NetworkCredential? argument)
    {
        _wasChanged = true;
        Enter();
        try
        {
            base.AuthType = _authType;
            bind(this, argument);
        }
        catch (Exception failure)
        {
            Inspect(failure);
            throw;
        }
        finally
        {
            if (_parks)
            {
                base.AuthType = Parked;
            }

            Leave();
        }
    }

    private void Park()
    {
        if (_parks)
        {
            base.AuthType = Parked;
            base.AutoBind = false;
            _expected = LdapInternals.CredentialOf(this);
        }
    }

    // A caller that uses the connection as its base class can set AuthType and bind there.
    private bool MayHaveBoundThroughBaseClass() =>
        base.AuthType != Parked || base.AutoBind || LdapInternals.CannotDetectBinds
            || !ReferenceEquals(LdapInternals.CredentialOf(this), _expected);

    private void Enter() => ObjectDisposedException.ThrowIf(!_calls.TryEnter(), this);

    private void Leave() => _calls.Leave();

    // Repeated calls have no effect.
    private void Close()
    {
        base.Dispose(disposing: true);
        _whenClosed?.TrySetResult();
    }
}
