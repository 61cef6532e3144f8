using System.Data.Common;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Sessions;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data;

public sealed partial class PooledDataSource
{
    internal ProviderTraits Traits { get; }

    internal EnlistedConnections Enlisted { get; } = new();

    internal bool Enlists => _policy.Options.Enlist;

    /// <summary>Creates a closed connection of this data source; opening it rents a connection from the pool.</summary>
    /// <returns>The connection.</returns>
    protected override DbConnection CreateDbConnection() => Traits.CreateConnection(this);

    /// <inheritdoc/>
    protected override DbConnection OpenDbConnection()
    {
        var connection = Traits.CreateConnection(this);
        connection.Open();
        return connection;
    }

    /// <inheritdoc/>
    protected override ValueTask<DbConnection> OpenDbConnectionAsync(CancellationToken cancellationToken = default) =>
        Traits.CreateConnection(this).OpenNewAsync(cancellationToken);

    // The base class's implementation for batches cannot create its commands.
    /// <inheritdoc/>
    protected override DbBatch CreateDbBatch() => new DataSourceBatch(Traits.CreateConnection(this));
}
