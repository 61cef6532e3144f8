using System.Data.Common;

namespace Poolhouse.Data;

/// <summary>The settings of a pool of database connections.</summary>
/// <remarks>
/// A pool copies its options; changing them later has no effect on it. All settings are validated together, and one exception
/// names every invalid one. Not thread safe.
/// </remarks>
public sealed class DbPoolOptions
{
    internal const string DefaultValidationQuery = "SELECT 1";

    private static readonly TimeSpan _freeCheck = TimeSpan.FromMilliseconds(10);

    /// <summary>The options of the underlying pool: sizes, lifetimes and timeouts.</summary>
    /// <value>
    /// Not null. By default <see cref="ResourcePoolOptions.MaxSize"/> is 100, as in every ADO.NET provider, and the other options
    /// have their defaults.
    /// </value>
    /// <remarks>
    /// <see cref="ResourcePoolOptions.CreateTimeout"/> limits the time to open one connection, in addition to the provider's own
    /// timeout.
    /// </remarks>
    public ResourcePoolOptions Pool { get; set; } = new() { MaxSize = 100 };

    /// <summary>What the pool knows about the provider.</summary>
    /// <value><c>null</c> by default: the one of <see cref="DbProviderProfile.All"/> that recognizes the connection.</value>
    public DbProviderProfile? Profile { get; set; }

    /// <summary>How a session is reset before its connection is used again.</summary>
    /// <value>
    /// <c>null</c> by default: chosen by the provider's profile: <see cref="SessionReset.Provider"/> for Npgsql where a
    /// factory and a connection string are given, or a <see cref="PerConnectionDataSource"/>, else
    /// <see cref="SessionReset.PostgreSql"/>;
    /// <see cref="SessionReset.Sqlite"/> for Microsoft.Data.Sqlite, <see cref="SessionReset.SqlServer"/> for SqlClient,
    /// <see cref="SessionReset.MySql"/> for MySqlConnector, and <see cref="SessionReset.RollbackOnly"/> for any other.
    /// </value>
    public SessionReset? Reset { get; set; }

    /// <summary>
    /// The query that checks whether a connection idle for <see cref="ResourcePoolOptions.ValidateAfterIdle"/> still works.
    /// </summary>
    /// <value>
    /// "SELECT 1" by default, or what <see cref="DbProviderProfile.ValidationQuery"/> has instead. <c>null</c>: only the state of
    /// the connection is checked. Otherwise not blank.
    /// </value>
    public string? ValidationQuery { get; set; } = DefaultValidationQuery;

    /// <summary>Determines what an exception of the provider means for the connection and the server.</summary>
    /// <value><see cref="DbErrorClassifier.Default"/> by default: the profile decides. Not null.</value>
    public DbErrorClassifier Errors { get; set; } = DbErrorClassifier.Default;

    /// <summary>
    /// The period over which connections opened before a fatal error are replaced, so that they do not all reconnect at once.
    /// </summary>
    /// <value>5 seconds by default; zero (at once) to 1 day.</value>
    public TimeSpan FatalErrorSpread { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The role that the server of a connection must have.</summary>
    /// <value><see cref="RequiredRole.Any"/> by default: roles are not determined.</value>
    /// <remarks>
    /// <para>
    /// The role is determined when a connection is opened: with Npgsql and PostgreSQL 14 or later without a round trip, otherwise
    /// by a query (<see cref="DbProviderProfile.GetRoleAsync"/>). It is not polled: an error that shows that the server is
    /// read-only (<see cref="DbErrorSeverity.Role"/>) makes the pool replace the connections to that host. While no server has
    /// the role, callers wait as in an outage, unless it is only preferred.
    /// </para>
    /// <para>
    /// For a pool over several hosts, and for a single address that may move to another server. How far a standby lags is not
    /// considered, and statements are not distributed by what they do: use two pools.
    /// </para>
    /// </remarks>
    public RequiredRole RequiredRole { get; set; }

    /// <summary>A callback that supplies user name and password, called before each physical open.</summary>
    /// <value><c>null</c> by default: the connection string holds them.</value>
    /// <remarks>
    /// Only for pools created from a factory and a connection string. When the callback returns another credential than before,
    /// new connections use it at once, and those opened with the old one are replaced within <see cref="CredentialSpread"/>. An
    /// exception of the callback is the failure of that open. So is a value for which neither the provider's connection string
    /// builder nor the connection string has a keyword. If calls overlap, the result of the call that began last counts.
    /// </remarks>
    public Func<CancellationToken, ValueTask<DbCredential>>? Credentials { get; set; }

    /// <summary>
    /// A callback that prepares each physical connection after it was opened: settings of the session, functions, a tenant.
    /// </summary>
    /// <value><c>null</c> by default.</value>
    /// <remarks>
    /// <para>
    /// Its effect survives the reset: the callback is called again on the same connection after each reset in which the database
    /// forgets settings (PostgreSQL, MySQL, SQL Server, and resets of the application), and only then: the reset for SQLite
    /// restores the state that the callback left, and <see cref="SessionReset.RollbackOnly"/> and <see cref="SessionReset.None"/>
    /// leave it alone. So it must have the same effect if it is repeated.
    /// </para>
    /// <para>
    /// It gets the provider's own connection, open and used by nobody else, and a token that is cancelled at
    /// <see cref="ResourcePoolOptions.CreateTimeout"/> or <see cref="ResourcePoolOptions.ResetTimeout"/>. Synchronous calls of
    /// the pool use it too; it blocks none of their callers' threads. An exception is the failure of that creation, or of that
    /// reset, after which the connection is destroyed. Calls for several connections overlap.
    /// </para>
    /// <para>
    /// With Npgsql and its default reset, the callback costs a round trip in the background after each lease. Settings with fixed
    /// values cost none in the connection string: <c>Search Path</c>, or <c>Options=-c name=value</c>.
    /// </para>
    /// </remarks>
    public Func<DbConnection, CancellationToken, ValueTask>? Initialize { get; set; }

    /// <summary>The period within which connections opened with an old credential are replaced.</summary>
    /// <value>1 minute by default; zero (at once) to 1 day. Leased connections are replaced when they are returned.</value>
    public TimeSpan CredentialSpread { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Whether a connection that is opened inside a <see cref="System.Transactions.TransactionScope"/> joins its transaction.
    /// </summary>
    /// <value>True by default, as in every ADO.NET provider.</value>
    /// <remarks>
    /// A <see cref="DbConnectionPool{TConnection}"/> does not enlist the connections that it leases. If it was created from a
    /// factory and a connection string, the provider's keyword <c>Enlist</c> gets this value: Npgsql's provider for Entity
    /// Framework Core reads it to decide whether contexts join a scope. Otherwise, the connections have their own keyword.
    /// </remarks>
    public bool Enlist { get; set; } = true;

    /// <summary>
    /// The name of an unnamed pool in the metrics of database clients; null for the pool's own name. Set on frozen options.
    /// </summary>
    internal string? MetricName { get; set; }

    /// <summary>
    /// How long a connection may be idle without a query, if it is checked without one before; null if it is not. Set on frozen
    /// options.
    /// </summary>
    internal TimeSpan? QueryAfterIdle { get; private set; }

    /// <summary>Makes the pool check idle connections sooner, because the check costs no round trip.</summary>
    // In the background although it is a matter of microseconds: the provider may find the session ended and begin another one.
    internal void CheckOftener()
    {
        QueryAfterIdle = Pool.ValidateAfterIdle;
        if (Pool.ValidateAfterIdle > _freeCheck)
        {
            Pool.ValidateAfterIdle = _freeCheck;
        }
    }

    /// <summary>
    /// Returns a copy that the caller can no longer change, or throws one exception that names every invalid setting.
    /// </summary>
    internal DbPoolOptions Freeze()
    {
        var errors = new PoolOptionErrors();
        Validate(errors);
        errors.ThrowIfAny(this);
        return Copy();
    }

    /// <summary>
    /// Returns a copy that can replace the given settings of a pool, or throws one exception that names every setting that is
    /// invalid or cannot be changed.
    /// </summary>
    internal DbPoolOptions FreezeChange(DbPoolOptions given)
    {
        var errors = new PoolOptionErrors();
        Validate(errors);
        Pool?.ValidateChange(errors, nameof(Pool) + ".", given.Pool);
        errors.CheckSame(Profile, nameof(Profile), given.Profile);
        errors.CheckSame(Reset, nameof(Reset), given.Reset);
        errors.CheckSame(Errors, nameof(Errors), given.Errors);
        errors.CheckSame(Credentials, nameof(Credentials), given.Credentials);
        errors.CheckSame(Initialize, nameof(Initialize), given.Initialize);
        errors.CheckUnchanged(Enlist, nameof(Enlist), given.Enlist);
        errors.CheckUnchanged(RequiredRole, nameof(RequiredRole), given.RequiredRole);
        errors.ThrowIfAny(this);
        return Copy();
    }

    /// <summary>Returns a copy of validated settings.</summary>
    internal DbPoolOptions Copy()
    {
        var copy = (DbPoolOptions)MemberwiseClone();
        copy.Pool = Pool.Copy();
        return copy;
    }

    private void Validate(PoolOptionErrors errors)
    {
        errors.CheckNotNull(Pool, nameof(Pool));
        Pool?.Validate(errors, prefix: nameof(Pool) + ".");
        errors.Check(
            ValidationQuery is null || !string.IsNullOrWhiteSpace(ValidationQuery), nameof(ValidationQuery), ValidationQuery,
            "null or not blank");
        errors.CheckNotNull(Errors, nameof(Errors));
        errors.Check(Enum.IsDefined(RequiredRole), nameof(RequiredRole), RequiredRole, "Any, Primary, PreferStandby or Standby");
        CheckSpread(errors, FatalErrorSpread, nameof(FatalErrorSpread));
        CheckSpread(errors, CredentialSpread, nameof(CredentialSpread));
    }

    private static void CheckSpread(PoolOptionErrors errors, TimeSpan value, string setting) =>
        errors.Check(value >= TimeSpan.Zero && value <= TimeSpan.FromDays(1), setting, value, "00:00:00 to 1.00:00:00");
}
