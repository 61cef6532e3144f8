using System.Collections.Concurrent;
using System.Data.Common;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data;

/// <summary>A provider factory whose connections come from one pool per connection string, as in ADO.NET.</summary>
/// <remarks>
/// <para>
/// For code that calls <c>factory.CreateConnection()</c>. The keywords of each connection string configure its pool, as in
/// <see cref="PooledDataSource.Create(DbProviderFactory, string, DbPoolOptions)"/>; with <c>Pooling=false</c> each open
/// creates a connection and each close destroys it.
/// </para>
/// <para>
/// Strings that differ in any way, including spelling, have different pools. Pools are kept until <see cref="Dispose"/>; an
/// unused pool holds no connections once these have reached their idle timeout. Thread safe.
/// </para>
/// <code>
/// DbProviderFactories.RegisterFactory("Npgsql", new PooledProviderFactory(NpgsqlFactory.Instance));
/// </code>
/// </remarks>
public sealed class PooledProviderFactory : DbProviderFactory, IDisposable
{
    private readonly DbProviderFactory _inner;
    private readonly DbPoolOptions _options;
    private readonly ConcurrentDictionary<string, Lazy<PooledDataSource>> _sources = new(StringComparer.Ordinal);
    private readonly PooledDataSource _unset;
    private volatile bool _disposed;

    /// <summary>Creates a pooling factory over a provider's factory.</summary>
    /// <param name="inner">The provider's factory, such as <c>NpgsqlFactory.Instance</c>.</param>
    /// <param name="options">The settings of every pool; null for the defaults. Its name must be null, because each pool needs
    /// its own.</param>
    /// <exception cref="ArgumentNullException"><paramref name="inner"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid; the message names every invalid setting.</exception>
    public PooledProviderFactory(DbProviderFactory inner, DbPoolOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(inner);
        _inner = inner;
        _options = (options ?? new DbPoolOptions()).Freeze();
        if (_options.Pool.Name is not null)
        {
            throw new ArgumentException(
                "Pool.Name is set; allowed: null for a factory, because each of its pools gets its own name.", nameof(options));
        }

        _unset = new PooledDataSource(ConnectionSourceSettings.Unset(inner, _options)) { Factory = this };
    }

    /// <inheritdoc/>
    public override bool CanCreateBatch => _inner.CanCreateBatch;

    /// <inheritdoc/>
    public override bool CanCreateDataAdapter => true;

    /// <summary>False: the provider's command builders accept only the provider's own adapters.</summary>
    public override bool CanCreateCommandBuilder => false;

    /// <summary>The current pools, one per connection string, without those for which pooling is turned off.</summary>
    public IReadOnlyList<PooledDataSource> Sources =>
        [.. _sources.Values.Select(source => source.Value).Where(source => source.IsPooled)];

    /// <summary>Creates a closed connection. Set its <see cref="DbConnection.ConnectionString"/>, then open it.</summary>
    /// <returns>The connection.</returns>
    /// <exception cref="ObjectDisposedException">The factory is disposed.</exception>
    public override DbConnection CreateConnection()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        return _unset.Traits.CreateConnection(_unset);
    }

    /// <summary>Returns the data source for a connection string: always the same one for the same string.</summary>
    /// <param name="connectionString">The provider's connection string.</param>
    /// <returns>The data source. It belongs to the factory: do not dispose it.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="connectionString"/> is null.</exception>
    /// <exception cref="ArgumentException">The string cannot be parsed, or a keyword has a value out of range.</exception>
    /// <exception cref="ObjectDisposedException">The factory is disposed.</exception>
    public override DbDataSource CreateDataSource(string connectionString)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        return SourceOf(connectionString);
    }

    /// <summary>Creates a command to use with a connection of this factory.</summary>
    /// <returns>The command.</returns>
    public override DbCommand CreateCommand()
    {
        var command = CreateConnection().CreateCommand();
        command.Connection = null;
        return command;
    }

    /// <summary>Creates a batch to use with a connection of this factory.</summary>
    /// <returns>The batch.</returns>
    /// <exception cref="NotSupportedException">The provider does not support batches.</exception>
    public override DbBatch CreateBatch()
    {
        var batch = CreateConnection().CreateBatch();
        batch.Connection = null;
        return batch;
    }

    /// <inheritdoc/>
    public override DbBatchCommand CreateBatchCommand() => _inner.CreateBatchCommand();

    /// <inheritdoc/>
    public override DbParameter? CreateParameter() => _inner.CreateParameter();

    /// <inheritdoc/>
    public override DbConnectionStringBuilder? CreateConnectionStringBuilder() => _inner.CreateConnectionStringBuilder();

    /// <summary>Creates a data adapter that accepts commands of this factory.</summary>
    /// <returns>The adapter.</returns>
    public override DbDataAdapter CreateDataAdapter() => new PooledDataAdapter();

    /// <summary>Lets the connections of every pool expire, idle ones at once, like the providers' <c>ClearAllPools</c>.</summary>
    /// <param name="spread">The time over which the connections expire; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TimeSpan spread = default)
    {
        foreach (var source in Sources)
        {
            source.Clear(spread);
        }
    }

    /// <summary>Disposes every pool. Open connections keep working. Repeated calls have no effect.</summary>
    public void Dispose()
    {
        _disposed = true;
        _unset.Dispose();
        foreach (var source in _sources.Values)
        {
            source.Value.Dispose();
        }
    }

    internal PooledDataSource SourceOf(string connectionString)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (connectionString.Length == 0)
        {
            return _unset;
        }

        if (_sources.TryGetValue(connectionString, out var known))
        {
            return known.Value;
        }

        var profile = _options.Profile ?? DbProviderProfile.Of(_inner);
        var keywords = PoolKeywords.Of(connectionString, profile);
        var made = new Lazy<PooledDataSource>(() => new PooledDataSource(ConnectionSourceSettings.Of(_inner, keywords, _options))
        {
            Factory = this,
            GivenString = ProviderStrings.WithoutPassword(connectionString, profile),
        });

        // Created before it is added to the list: a string that the provider rejects must not stay in the list.
        _ = made.Value;
        var listed = _sources.GetOrAdd(connectionString, made);
        if (listed != made)
        {
            made.Value.Dispose();
        }
        else if (_disposed)
        {
            listed.Value.Dispose();
        }

        return listed.Value;
    }
}
