using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Transactions;
using Poolhouse.Data.Sessions;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data;

/// <summary>
/// A connection of a <see cref="PooledDataSource"/>: opening it rents a connection of the provider, closing it returns that
/// connection.
/// </summary>
/// <remarks>
/// <para>
/// It can be opened and closed repeatedly. Closing never waits for the server, even while a reader or a transaction is open: the
/// pool disposes the reader and rolls back the transaction in the background, before another caller gets the connection. The one
/// exception: a connection that takes part in a transaction of System.Transactions closes an open reader itself, and the provider
/// then reads the rest of the result.
/// </para>
/// <para>
/// Objects created on an open connection end when it is closed: a reader is closed, a transaction has ended, and a command runs
/// on the connection of the provider that the next opening rents. None of them can affect a later user.
/// </para>
/// <para>
/// Like every connection of ADO.NET it is for one caller at a time. Closing it from another thread while a statement runs does
/// no harm to the pool, which then destroys the provider's connection.
/// </para>
/// <para>
/// For some providers its type is derived from this class and has the name of the provider's type, because libraries such as
/// Dapper recognize a database by that name. The class cannot be derived from outside this library.
/// </para>
/// </remarks>
public partial class PooledConnection : DbConnection
{
    private static readonly StateChangeEventArgs _closedToOpen = new(ConnectionState.Closed, ConnectionState.Open);
    private static readonly StateChangeEventArgs _openToClosed = new(ConnectionState.Open, ConnectionState.Closed);

#pragma warning disable CA2213 // The data source outlives its connections.
    private PooledDataSource _source;
#pragma warning restore CA2213

    internal PooledConnection(PooledDataSource source)
    {
        _source = source;
#pragma warning disable CA1816 // The base class has a finalizer and nothing to finalize.
        GC.SuppressFinalize(this);
#pragma warning restore CA1816
    }

    /// <summary>
    /// The connection string, without the password unless it contains <c>Persist Security Info=true</c>. It can be set on
    /// connections of a <see cref="PooledProviderFactory"/>, while they are closed.
    /// </summary>
    /// <exception cref="NotSupportedException">The property is set on a connection of a data source.</exception>
    /// <exception cref="InvalidOperationException">The property is set while the connection is open or being
    /// opened.</exception>
    /// <exception cref="ArgumentException">The property is set to a string that cannot be parsed, or that contains a value out of
    /// range.</exception>
    [AllowNull]
    public override string ConnectionString
    {
        get => _source.ConnectionString;
        set
        {
            if (_source.Factory is not { } factory)
            {
                throw new NotSupportedException(
                    "The connection string belongs to the data source. Create another data source to use another string.");
            }

            if (_isOpening || _held.Value is not null)
            {
                throw new InvalidOperationException(
                    "The connection string cannot be changed while the connection is open or being opened. Close it first.");
            }

            _source = factory.SourceOf(value ?? string.Empty);
        }
    }

    /// <summary>
    /// The maximum time to open the connection, in seconds: <see cref="ResourcePoolOptions.RentTimeout"/>, or 0 for no limit.
    /// </summary>
    public override int ConnectionTimeout =>
        _source.Policy.Options.Pool.RentTimeout is var limit && limit == Timeout.InfiniteTimeSpan
            ? 0
            : (int)Math.Min(int.MaxValue, Math.Ceiling(limit.TotalSeconds));

    /// <inheritdoc/>
    public override string Database => MetadataConnection.Database;

    /// <inheritdoc/>
    public override string DataSource => MetadataConnection.DataSource;

    /// <inheritdoc/>
    public override string ServerVersion => MetadataConnection.ServerVersion;

    /// <summary>The state: closed, or the state of the provider's connection (open, or broken by an error).</summary>
    public override ConnectionState State => _held.Value is { } physical ? physical.Inner.State : ConnectionState.Closed;

    /// <inheritdoc/>
    public override bool CanCreateBatch => MetadataConnection.CanCreateBatch;

    internal PooledDataSource Source => _source;

    /// <summary>The factory that created the connection; for connections of a data source, the provider's own factory.</summary>
    protected override DbProviderFactory? DbProviderFactory => (DbProviderFactory?)_source.Factory ?? _source.Traits.Factory;

    /// <summary>The provider's connection if there is one, otherwise one that is never opened.</summary>
    private DbConnection MetadataConnection => _held.Value?.Inner ?? _source.Traits.Sample;

    /// <summary>
    /// Changes the database of the open connection. The provider's connection is destroyed when this one is closed, except with
    /// SqlClient, where the reset changes it back.
    /// </summary>
    /// <param name="databaseName">The name of the database.</param>
    public override void ChangeDatabase(string databaseName) => ConnectionUse.Run(
        this,
        Enter(),
        databaseName,
        static (physical, name) =>
        {
            physical.PrepareChange();
            physical.Inner.ChangeDatabase(name);
            return true;
        });

    /// <inheritdoc cref="ChangeDatabase"/>
    /// <param name="databaseName">The name of the database.</param>
    /// <param name="cancellationToken">Cancels the change.</param>
    /// <returns>A task that completes when the database has been changed.</returns>
    public override async Task ChangeDatabaseAsync(string databaseName, CancellationToken cancellationToken = default) =>
        await ConnectionUse.RunAsync(
            this,
            Enter(),
            databaseName,
            static async (physical, name, token) =>
            {
                physical.PrepareChange();
                await physical.Inner.ChangeDatabaseAsync(name, token).ConfigureAwait(false);
                return true;
            },
            cancellationToken).ConfigureAwait(false);

    /// <summary>
    /// Enlists the open connection in a transaction until the transaction completes, even if the connection is closed before.
    /// </summary>
    /// <param name="transaction">The transaction; null informs the provider that there is none.</param>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    /// <exception cref="NotSupportedException">The provider cannot take part in transactions of System.Transactions.</exception>
    /// <remarks>
    /// If the provider fails to join the transaction, for example because a transaction was begun with
    /// <see cref="DbConnection.BeginTransaction()"/>, the provider's connection is closed instead of reused when this connection
    /// is closed. Npgsql may keep the session at the server until the transaction has completed.
    /// </remarks>
    public override void EnlistTransaction(Transaction? transaction) => ConnectionUse.Run(
        this,
        Enter(),
        (_source.Enlisted, transaction),
        static (physical, enlistment) =>
        {
            var (enlisted, transaction) = enlistment;
            if (transaction is null)
            {
                physical.Inner.EnlistTransaction(transaction: null);
                enlisted.Leave(physical.Lease, physical);
            }
            else
            {
                enlisted.Enlist(physical.Lease, physical, transaction);
            }

            return true;
        });

    /// <inheritdoc/>
    public override DataTable GetSchema() => SchemaQuery.Run(this, static connection => connection.GetSchema());

    /// <inheritdoc/>
    public override DataTable GetSchema(string collectionName) =>
        SchemaQuery.Run(this, connection => connection.GetSchema(collectionName));

    /// <inheritdoc/>
    public override DataTable GetSchema(string collectionName, string?[] restrictionValues) =>
        SchemaQuery.Run(this, connection => connection.GetSchema(collectionName, restrictionValues));

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(CancellationToken cancellationToken = default) =>
        SchemaQuery.RunAsync(this, connection => connection.GetSchemaAsync(cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, CancellationToken cancellationToken = default) =>
        SchemaQuery.RunAsync(
            this, connection => connection.GetSchemaAsync(collectionName, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(
        string collectionName, string?[] restrictionValues, CancellationToken cancellationToken = default) =>
        SchemaQuery.RunAsync(
            this,
            connection => connection.GetSchemaAsync(collectionName, restrictionValues, cancellationToken),
            cancellationToken);

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand() => new PooledCommand(this);

    /// <inheritdoc/>
    protected override DbBatch CreateDbBatch() => new PooledBatch(this);
}
