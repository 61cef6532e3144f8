using System.Data.Common;
using Poolhouse.Data;

namespace Poolhouse.Samples.Databases;

// snippet: own-provider
internal sealed class CellarProfile : DbProviderProfile
{
    public override string Name => "Cellar.Data";

    // What the conformance tests show to be missing.
    public override DbProviderLimits Limits => DbProviderLimits.Scopes;

    public override string ValidationQuery => "SELECT 1 FROM one_row";

    public override bool Recognizes(Type type) => type.Namespace is "Cellar.Data";

    public override SessionReset GetReset(DbConnection connection) => new CellarReset();

    // Error 4711: the server is shutting down.
    public override DbErrorSeverity Classify(Exception exception) =>
        exception is DbException { ErrorCode: 4711 } ? DbErrorSeverity.Server : base.Classify(exception);

    private sealed class CellarReset : SessionReset
    {
        public override async ValueTask<bool> ResetAsync(
            DbConnection connection, object? captured, CancellationToken cancellationToken)
        {
            await using var command = connection.CreateCommand();
            command.CommandText = "ROLLBACK; RESET SESSION";
            await command.ExecuteNonQueryAsync(cancellationToken);
            return true;
        }
    }
}
// end snippet
