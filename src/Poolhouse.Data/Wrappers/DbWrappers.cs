using System.Data.Common;

namespace Poolhouse.Data.Wrappers;

/// <summary>Distinguishes the wrappers of this package from other objects.</summary>
internal static class DbWrappers
{
    /// <summary>A connection for a command or batch of a data source.</summary>
    /// <exception cref="ArgumentException">It is not a connection of a <see cref="PooledDataSource"/>, or one for another
    /// provider.</exception>
    public static PooledConnection? Own(DbConnection? connection, PooledDataSource source) => connection switch
    {
        null => null,
        PooledConnection pooled when pooled.Source.Traits.CommandType == source.Traits.CommandType => pooled,
        PooledConnection => throw new ArgumentException(
            "The connection belongs to a data source of another provider. Create the command on the connection on which it " +
            "will run.",
            nameof(connection)),
        _ => throw new ArgumentException(
            $"The connection is a {connection.GetType()}, not a connection of a PooledDataSource. " +
            "Create the command on the connection on which it will run.",
            nameof(connection)),
    };

    /// <exception cref="ArgumentException">It was not begun on a connection of a <see cref="PooledDataSource"/>.</exception>
    public static PooledTransaction? Own(DbTransaction? transaction) => transaction switch
    {
        null => null,
        PooledTransaction pooled => pooled,
        _ => throw new ArgumentException(
            $"The transaction is a {transaction.GetType()}, not a transaction of a PooledDataSource connection. " +
            "Begin it on the command's own connection.",
            nameof(transaction)),
    };
}
