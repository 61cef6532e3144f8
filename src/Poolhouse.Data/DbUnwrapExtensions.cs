using System.Data.Common;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data;

/// <summary>
/// Returns the provider's own object behind a wrapper of a <see cref="PooledDataSource"/>, for provider-specific features.
/// </summary>
/// <remarks>
/// <para>
/// The unwrapped object belongs to the lease: use it only until the connection is closed, and close and dispose the wrapper, not
/// the provider's object. The pool does not see how the object is used: the session is always reset afterwards, and errors are
/// not reported to the pool.
/// </para>
/// <para>
/// The caller may keep the unwrapped object or add event handlers to it, so no later user gets the same connection object. With
/// <see cref="SessionReset.Provider"/>, the default for a factory and a connection string of Npgsql, the session is reused with
/// another object; otherwise the session is closed after the lease. This does not apply to readers, nor to commands and batches
/// whose connection is closed.
/// </para>
/// <para>
/// An object that is not a wrapper is returned unchanged, so that the same code works with the provider's own data source.
/// </para>
/// <code>
/// await using var importer = await connection.Unwrap&lt;NpgsqlConnection&gt;().BeginBinaryImportAsync("COPY …",
/// cancellationToken);
/// </code>
/// </remarks>
public static class DbUnwrapExtensions
{
    /// <summary>Returns the provider's open connection.</summary>
    /// <typeparam name="T">The provider's type.</typeparam>
    /// <param name="connection">A connection; it must be open if it belongs to a <see cref="PooledDataSource"/>.</param>
    /// <returns>The provider's connection.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="connection"/> is null.</exception>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    /// <exception cref="InvalidCastException">The provider's connection is of another type.</exception>
    public static T Unwrap<T>(this DbConnection connection)
        where T : DbConnection
    {
        ArgumentNullException.ThrowIfNull(connection);
        return As<T>(connection is PooledConnection pooled ? pooled.Unwrap() : connection);
    }

    /// <summary>Returns the provider's command, on the provider's connection if its own is open.</summary>
    /// <typeparam name="T">The provider's type.</typeparam>
    /// <param name="command">A command.</param>
    /// <returns>The provider's command.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="command"/> is null.</exception>
    /// <exception cref="InvalidCastException">The provider's command is of another type.</exception>
    /// <exception cref="ObjectDisposedException">The command is disposed.</exception>
    public static T Unwrap<T>(this DbCommand command)
        where T : DbCommand
    {
        ArgumentNullException.ThrowIfNull(command);
        return As<T>(command is PooledCommand pooled ? pooled.Unwrap() : command);
    }

    /// <summary>Returns the provider's transaction.</summary>
    /// <typeparam name="T">The provider's type.</typeparam>
    /// <param name="transaction">A transaction whose connection is open.</param>
    /// <returns>The provider's transaction.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="transaction"/> is null.</exception>
    /// <exception cref="InvalidOperationException">The connection was closed.</exception>
    /// <exception cref="InvalidCastException">The provider's transaction is of another type.</exception>
    /// <exception cref="ObjectDisposedException">The transaction is disposed.</exception>
    public static T Unwrap<T>(this DbTransaction transaction)
        where T : DbTransaction
    {
        ArgumentNullException.ThrowIfNull(transaction);
        return As<T>(transaction is PooledTransaction pooled ? pooled.Unwrap() : transaction);
    }

    /// <summary>Returns the provider's reader.</summary>
    /// <typeparam name="T">The provider's type.</typeparam>
    /// <param name="reader">An open reader.</param>
    /// <returns>The provider's reader.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="reader"/> is null.</exception>
    /// <exception cref="InvalidOperationException">The reader or its connection was closed.</exception>
    /// <exception cref="InvalidCastException">The provider's reader is of another type.</exception>
    public static T Unwrap<T>(this DbDataReader reader)
        where T : DbDataReader
    {
        ArgumentNullException.ThrowIfNull(reader);
        return As<T>(reader is PooledDataReader pooled ? pooled.Unwrap() : reader);
    }

    /// <summary>Returns the provider's batch, on the provider's connection if its own is open.</summary>
    /// <typeparam name="T">The provider's type.</typeparam>
    /// <param name="batch">A batch.</param>
    /// <returns>The provider's batch.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="batch"/> is null.</exception>
    /// <exception cref="InvalidCastException">The provider's batch is of another type.</exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    public static T Unwrap<T>(this DbBatch batch)
        where T : DbBatch
    {
        ArgumentNullException.ThrowIfNull(batch);
        return As<T>(batch switch
        {
            PooledBatch pooled => pooled.Unwrap(),
            DataSourceBatch own => own.Unwrap(),
            _ => batch,
        });
    }

    private static T As<T>(object inner)
        where T : class =>
        inner as T ??
        throw new InvalidCastException(
            $"The unwrapped object is a {inner.GetType()}, not a {typeof(T)}. Specify the provider's type.");
}
