using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>A connection that an opener has opened.</summary>
/// <param name="Connection">The provider's connection, open.</param>
/// <param name="Origin">The origin that the opener knows, such as the host or the credential; null if there is only one.</param>
/// <param name="OwnSource">
/// The data source whose only connection it is: closing the connection and opening it again resets the session. Null without one.
/// </param>
internal readonly record struct OpenedConnection(DbConnection Connection, object? Origin = null, DbDataSource? OwnSource = null)
    : IAsyncDisposable
{
    /// <summary>The role of its server; unknown if none is required.</summary>
    public ServerRole Role { get; private init; }

    /// <summary>Whether the application has built <see cref="OwnSource"/>: opening may enlist.</summary>
    public bool IsBuiltByUser { get; init; }

    /// <summary>Makes the provider close the connection permanently when it is closed.</summary>
    public void ReleaseOwnSource() => OwnSource?.Dispose();

    /// <summary>Closes a connection that is not used.</summary>
    public ValueTask DisposeAsync()
    {
        ReleaseOwnSource();
        return Connection.DisposeAsync();
    }

    /// <summary>Determines the role of the server, if one is required and it is not known yet.</summary>
    public async ValueTask<OpenedConnection> WithRoleAsync(DbPoolOptions options, CancellationToken cancellationToken)
    {
        if (options.RequiredRole == RequiredRole.Any || Role != ServerRole.Unknown)
        {
            return this;
        }

        var profile = options.Profile ?? DbProviderProfile.For(Connection.GetType());
        var role = await profile.GetRoleAsync(Connection, cancellationToken).ConfigureAwait(false);
        return role != ServerRole.Unknown
            ? this with { Role = role }
            : throw new InvalidOperationException(
                $"RequiredRole is {options.RequiredRole}; allowed: Any for this provider, whose profile does not determine the " +
                "role of a server (DbProviderProfile.GetRoleAsync).");
    }

    public static async ValueTask<OpenedConnection> FromAsync(DbDataSource source, CancellationToken cancellationToken) =>
        source is PerConnectionDataSource separate
            ? await separate.OpenOwnAsync(cancellationToken).ConfigureAwait(false)
            : new OpenedConnection(await source.OpenConnectionAsync(cancellationToken).ConfigureAwait(false));

    public static OpenedConnection From(DbDataSource source) =>
        source is PerConnectionDataSource separate ? separate.OpenOwn() : new OpenedConnection(source.OpenConnection());
}
