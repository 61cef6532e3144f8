using System.Data;
using System.Data.Common;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>Reads descriptions of the database and the provider.</summary>
// On a closed connection, the sample connection returns what the provider reports for one.
internal static class SchemaQuery
{
    public static DataTable Run(PooledConnection connection, Func<DbConnection, DataTable> read) =>
        connection.Physical is null
            ? read(connection.Source.Traits.Sample)
            : ConnectionUse.Run(connection, connection.Enter(), read, static (physical, read) => read(physical.Inner));

    public static async Task<DataTable> RunAsync(
        PooledConnection connection, Func<DbConnection, Task<DataTable>> read, CancellationToken cancellationToken) =>
        connection.Physical is null
            ? await read(connection.Source.Traits.Sample).ConfigureAwait(false)
            : await ConnectionUse.RunAsync(
                connection,
                connection.Enter(),
                read,
                static (physical, read, _) => read(physical.Inner),
                cancellationToken).ConfigureAwait(false);
}
