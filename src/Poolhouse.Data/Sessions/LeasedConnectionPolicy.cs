using System.Data.Common;
using System.Runtime.CompilerServices;
using Poolhouse.Data.Opening;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Data.Sessions;

/// <summary>Pools the provider's own connections, whose use is not tracked: each is reset after each lease.</summary>
// What the pool knows about a connection is looked up by the connection. The table is asked in the background only: on the caller's path
// the connection's own state is enough.
internal sealed class LeasedConnectionPolicy<TConnection>(ConnectionPolicy care) : ResourcePolicy<TConnection>
    where TConnection : DbConnection
{
    private readonly ConditionalWeakTable<TConnection, LeasedConnection> _known = [];

    internal override ResourceHooks Hooks => care.Without(base.Hooks, enlists: false);

    public override async ValueTask<TConnection> CreateAsync(CancellationToken cancellationToken) =>
        await AdoptAsync(await care.OpenAsync(cancellationToken).ConfigureAwait(false)).ConfigureAwait(false);

    public override TConnection Create(CancellationToken cancellationToken)
    {
        var physical = care.Open(cancellationToken);
#pragma warning disable VSTHRD002, CA2012 // It waits only for a connection of the wrong type to close, on a thread of the pool's own.
        return AdoptAsync(physical).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, CA2012
    }

    public override bool IsPermanent(Exception createFailure) => care.IsPermanent(createFailure);

    public override bool IsBroken(TConnection item) => item.State is System.Data.ConnectionState.Closed or System.Data.ConnectionState.Broken;

    public override ValueTask<bool> ValidateAsync(TConnection item, LeaseInfo info, CancellationToken cancellationToken) =>
        care.ValidateAsync(Known(item), cancellationToken);

    public override bool NeedsReset(TConnection item) => Known(item) is { Reset.IsNone: false };

    // A handler that was left behind would be notified of the next user's events, and only its owner can remove it.
    public override ValueTask<bool> ResetAsync(TConnection item, CancellationToken cancellationToken)
    {
        var (physical, handlers) = Find(item);
        physical.Touch();
        return handlers.HaveChanged(item) ? new ValueTask<bool>(result: false) : care.ResetAsync(physical, cancellationToken);
    }

    public override async ValueTask KeepAliveAsync(TConnection item, CancellationToken cancellationToken) =>
        KeepAlive.ThrowIfLost(await care.ValidateAsync(Known(item), cancellationToken).ConfigureAwait(false));

    internal override void OnValidationGivenUp(TConnection item) => care.OnValidationGivenUp(Known(item));

    public override ValueTask DestroyAsync(TConnection item, DestroyReason reason) => care.CloseAsync(Known(item));

    public PhysicalConnection Known(TConnection connection) => Find(connection).Physical;

    private LeasedConnection Find(TConnection connection) =>
        _known.TryGetValue(connection, out var leased)
            ? leased
            : throw new InvalidOperationException("The connection is not one of this pool.");

    private async ValueTask<TConnection> AdoptAsync(PhysicalConnection physical)
    {
        if (physical.Inner is TConnection connection)
        {
            // It is not known whether its users prepare statements.
            physical.HasPrepared = true;
            _known.Add(connection, new LeasedConnection(physical, new EventHandlers(connection)));
            return connection;
        }

        await care.CloseAsync(physical).ConfigureAwait(false);
        throw new InvalidOperationException(
            $"The pool leases {typeof(TConnection)}, but its source opened a {physical.Inner.GetType()}. Use the type that the source opens.");
    }
    private sealed record LeasedConnection(PhysicalConnection Physical, EventHandlers Handlers);
}
