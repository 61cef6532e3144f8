using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.Query;
using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>
/// Provides <c>DbContext.Database</c> with a connection service that records which connections and transactions the application
/// gets or sets.
/// </summary>
// ExecuteSql gets its connection service here too, but does not keep the connection: it is recognized by the statement it
// builds first.
#pragma warning disable CA1001 // It forwards to Entity Framework's connection service, which is disposed by its scope.
internal sealed class FacadeDependencies(IRelationalDatabaseFacadeDependencies inner, ContextConnection connection)
    : IRelationalDatabaseFacadeDependencies, IRawSqlCommandBuilder
#pragma warning restore CA1001
{
    private readonly FacadeConnection _ofApplication = new(inner.RelationalConnection, connection);
    private bool _isForStatement;

    public IDbContextTransactionManager TransactionManager => _ofApplication;

    public IDatabaseCreator DatabaseCreator => inner.DatabaseCreator;

    public IExecutionStrategy ExecutionStrategy => inner.ExecutionStrategy;

    public IExecutionStrategyFactory ExecutionStrategyFactory => inner.ExecutionStrategyFactory;

    public IEnumerable<IDatabaseProvider> DatabaseProviders => inner.DatabaseProviders;

    public IRelationalCommandDiagnosticsLogger CommandLogger => inner.CommandLogger;

    IDiagnosticsLogger<DbLoggerCategory.Database.Command> IDatabaseFacadeDependencies.CommandLogger => inner.CommandLogger;

    public IConcurrencyDetector ConcurrencyDetector => inner.ConcurrencyDetector;

    public ICoreSingletonOptions CoreOptions => inner.CoreOptions;

    public IAsyncQueryProvider QueryProvider => inner.QueryProvider;

    public IAdHocMapper AdHocMapper => inner.AdHocMapper;

    public ITypeMappingSource TypeMappingSource => inner.TypeMappingSource;

    public IRawSqlCommandBuilder RawSqlCommandBuilder => this;

    public IRelationalConnection RelationalConnection
    {
        get
        {
            var isForStatement = _isForStatement;
            _isForStatement = false;
            return isForStatement ? inner.RelationalConnection : _ofApplication;
        }
    }

    public IRelationalCommand Build(string sql)
    {
        var command = inner.RawSqlCommandBuilder.Build(sql);
        _isForStatement = true;
        return command;
    }

    public RawSqlCommand Build(string sql, IEnumerable<object?> parameters)
    {
        var command = inner.RawSqlCommandBuilder.Build(sql, parameters);
        _isForStatement = true;
        return command;
    }

    public RawSqlCommand Build(string sql, IEnumerable<object?> parameters, IModel model)
    {
        var command = inner.RawSqlCommandBuilder.Build(sql, parameters, model);
        _isForStatement = true;
        return command;
    }
}
