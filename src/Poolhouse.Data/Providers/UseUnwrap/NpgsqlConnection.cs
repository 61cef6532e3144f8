namespace Poolhouse.Data.Providers.UseUnwrap;

// The namespace is part of the message of .NET when this is cast to the provider's type: it shows what to do instead.
internal sealed class NpgsqlConnection(PooledDataSource source) : PooledConnection(source);
