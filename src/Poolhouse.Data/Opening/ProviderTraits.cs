using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>The facts about its provider that a data source needs while no connection is open. Thread safe.</summary>
// The sample is a closed connection that is only read: many wrappers read it at once.
internal sealed class ProviderTraits
{
    private readonly DbDataSource _source;
    private readonly int? _commandTimeout;
    private readonly DbProviderProfile _profile;

    public ProviderTraits(DbDataSource source, DbProviderProfile profile)
    {
        (_source, _profile) = (source, profile);
        Sample = source.CreateConnection();
        Factory = DbProviderFactories.GetFactory(Sample);
        using var usual = Sample.CreateCommand();
        using var bare = Factory?.CreateCommand();
        CommandType = usual.GetType();
        ReusesCommands = DoesReuseCommands(Sample);
        if (bare is not null && bare.CommandTimeout != usual.CommandTimeout)
        {
            bare.Connection = Sample;
            if (bare.CommandTimeout == usual.CommandTimeout)
            {
                FollowedTimeout = usual.CommandTimeout;
            }
            else
            {
                _commandTimeout = usual.CommandTimeout;
            }
        }
    }

    /// <summary>A connection of the provider that is never opened.</summary>
    public DbConnection Sample { get; }

    public DbProviderFactory? Factory { get; }

    public Type CommandType { get; }

    /// <summary>
    /// Whether a disposed command may be reused for another caller: Npgsql's connections return the last one again.
    /// </summary>
    public bool ReusesCommands { get; }

    /// <summary>
    /// The timeout of a command on a connection for which none was set; null if it is the provider's
    /// default.
    /// </summary>
    public int? FollowedTimeout { get; }

    /// <summary>A closed connection of a data source for this provider.</summary>
    public PooledConnection CreateConnection(PooledDataSource source) => _profile.CreateConnection(source);

    /// <summary>A command without a connection, with the defaults that the connection string gives.</summary>
    public DbCommand CreateCommand()
    {
        if (Factory?.CreateCommand() is { } command)
        {
            if (_commandTimeout is { } timeout)
            {
                command.CommandTimeout = timeout;
            }

            return command;
        }

        using var connection = _source.CreateConnection();
        command = connection.CreateCommand();
        command.Connection = null;
        return command;
    }

    /// <summary>
    /// Keeps the provider from reusing a command after its disposal, with the collections that the caller may have kept.
    /// </summary>
    /// <returns>False if it must not be disposed, because one of its readers is open.</returns>
    // Npgsql's connections keep disposed commands and batches, but neither those without a connection nor those that are not
    // disposed.
    public bool TryPreventReuse(DbCommand command) => TryDisconnect(command, static command => command.Connection = null);

    /// <inheritdoc cref="TryPreventReuse(DbCommand)"/>
    public bool TryPreventReuse(DbBatch batch) => TryDisconnect(batch, static batch => batch.Connection = null);

    private bool TryDisconnect<T>(T reused, Action<T> disconnect)
    {
        if (!ReusesCommands)
        {
            return true;
        }

        try
        {
            disconnect(reused);
            return true;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    private static bool DoesReuseCommands(DbConnection connection)
    {
        var first = connection.CreateCommand();
        first.Dispose();
        using var second = connection.CreateCommand();
        return ReferenceEquals(first, second);
    }

    /// <summary>A batch without a connection.</summary>
    /// <exception cref="NotSupportedException">The provider has none.</exception>
    public DbBatch CreateBatch()
    {
        if (Factory is { CanCreateBatch: true } factory)
        {
            return factory.CreateBatch();
        }

        using var connection = _source.CreateConnection();
        var batch = connection.CreateBatch();
        batch.Connection = null;
        return batch;
    }
}
