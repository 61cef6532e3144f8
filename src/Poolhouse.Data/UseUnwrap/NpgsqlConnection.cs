namespace Poolhouse.Data.UseUnwrap;

// The name of the namespace is part of what .NET says when this is cast to the provider's type: it tells what to do instead.
internal sealed class NpgsqlConnection(PooledDataSource source) : PooledConnection(source);
