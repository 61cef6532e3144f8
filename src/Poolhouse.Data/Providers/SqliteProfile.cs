using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Poolhouse.Data.Providers.Resets;

namespace Poolhouse.Data.Providers;

/// <summary>Microsoft.Data.Sqlite.</summary>
internal class SqliteProfile : DbProviderProfile
{
    private const int PrimaryCode = 0xFF;
    private const int IoError = 10;
    private const int Corrupt = 11;
    private const int NotADatabase = 26;
    private const int ReadOnlyDatabaseMoved = 1032;

    public override string Name => "Microsoft.Data.Sqlite";

    public override bool PlainStatementsEndTheirTransactions => true;

    internal override bool RegistersFunctions => true;

    public override string Guarantee =>
        "transaction, attached databases, temporary objects, pragmas, functions, collations; in memory, each " +
        "connection serves one lease";

    public override DbProviderLimits Limits =>
        DbProviderLimits.Scopes | DbProviderLimits.Cancellation | DbProviderLimits.Timeouts | DbProviderLimits.Server;

    public override bool Recognizes(Type type) => type.Namespace is "Microsoft.Data.Sqlite";

    public override SessionReset GetReset(DbConnection connection) =>
        DiscardReset.IsFor(connection) ? SessionReset.Discard : SessionReset.Sqlite;

    // A connection whose file was deleted, replaced or damaged cannot use it any more. Another one opens the current file.
    public override DbErrorSeverity Classify(Exception exception) =>
        exception is DbException failure
        && CodeOf(failure) is { } code
        && (code is ReadOnlyDatabaseMoved || (code & PrimaryCode) is IoError or Corrupt or NotADatabase)
            ? DbErrorSeverity.Connection
            : base.Classify(exception);

    internal override PooledConnection CreateConnection(PooledDataSource source) => new UseUnwrap.SqliteConnection(source);

    /// <summary>The extended result code, which each provider reports in a property of its own.</summary>
    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "If the property was trimmed away, the connection stays until it is cleared.")]
    protected virtual int? CodeOf(DbException failure) =>
        failure.GetType().GetProperty("SqliteExtendedErrorCode")?.GetValue(failure) as int?;

    // The provider would begin with a write lock.
    private protected override ValueTask<bool> CanBeginAsync(DbConnection connection, CancellationToken cancellationToken) =>
        SessionReset.TryExecuteAsync(connection, "BEGIN DEFERRED; ROLLBACK", cancellationToken);
}
