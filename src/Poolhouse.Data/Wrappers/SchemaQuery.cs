using System.Data;
using System.Data.Common;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>Reads descriptions of the database and the provider.</summary>
// On a closed connection, the sample connection returns what the provider reports for one.
internal static class SchemaQuery
{
    public static DataTable Run(
        PooledConnection connection, Func<DbConnection, string, string?[], DataTable> read, string collection,
        string?[] restrictions) =>
        connection.Physical is null
            ? read(connection.Source.Traits.Sample, collection, restrictions)
            : ConnectionUse.Run(
                connection,
                connection.Enter(),
                (Read: read, Collection: collection, Restrictions: restrictions),
                static (physical, schema) => schema.Read(physical.Inner, schema.Collection, schema.Restrictions));

    public static async Task<DataTable> RunAsync(
        PooledConnection connection, Func<DbConnection, string, string?[], CancellationToken, Task<DataTable>> read,
        string collection, string?[] restrictions, CancellationToken cancellationToken) =>
        connection.Physical is null
            ? await read(connection.Source.Traits.Sample, collection, restrictions, cancellationToken).ConfigureAwait(false)
            : await ConnectionUse.RunAsync(
                connection,
                connection.Enter(),
                (Read: read, Collection: collection, Restrictions: restrictions),
                static (physical, schema, token) => schema.Read(physical.Inner, schema.Collection, schema.Restrictions, token),
                cancellationToken).ConfigureAwait(false);
}
