using System.Data;
using System.Data.Common;
using System.Runtime.CompilerServices;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// The connections that contexts rented, each with its current lease: shows whether the lease of a connection has ended.
/// </summary>
// Locks: none. A lease is written by its holder only, and a connection has one at a time.
internal static class RentedConnections
{
    private static readonly ConditionalWeakTable<DbConnection, StrongBox<ContextLease?>> _leases = [];

    public static void Begin(ContextLease lease) =>
        Volatile.Write(ref _leases.GetValue(lease.Connection, static _ => new StrongBox<ContextLease?>()).Value, lease);

    public static void End(DbConnection connection)
    {
        if (_leases.TryGetValue(connection, out var lease))
        {
            Volatile.Write(ref lease.Value, null);
        }
    }

    /// <summary>Whether a context rented this connection, now or in the past.</summary>
    /// <param name="connection">Any connection.</param>
    /// <param name="lease">Its lease, or null if that is over.</param>
    public static bool IsOne(DbConnection connection, out ContextLease? lease)
    {
        var isKnown = _leases.TryGetValue(connection, out var current);
        lease = isKnown ? Volatile.Read(ref current!.Value) : null;
        return isKnown;
    }

    /// <summary>Whether a context rented this connection, and has returned it.</summary>
    public static bool IsOver(DbConnection connection) => IsOne(connection, out var lease) && lease is null;

    /// <summary>
    /// Called when a context executes on a connection that the application set, which another context may have rented.
    /// </summary>
    public static void NoteUse(DbConnection? connection)
    {
        if (connection is null || !IsOne(connection, out var lease))
        {
            return;
        }

        if (lease is not null)
        {
            lease.IsExposed = true;
        }
        else if (connection.State is not ConnectionState.Closed)
        {
            throw new InvalidOperationException(
                "The context's connection was rented by another context, which has returned it. Set it with SetDbConnection " +
                "while the other context has it open.");
        }
    }
}
