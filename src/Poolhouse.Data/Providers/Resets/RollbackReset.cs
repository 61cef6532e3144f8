using System.Data.Common;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data.Providers.Resets;

/// <summary>Rolls back the open transaction, for any database.</summary>
/// <param name="profile">The provider; null if it is not known yet.</param>
internal sealed class RollbackReset(DbProviderProfile? profile) : SessionReset
{
    internal override bool KeepsInitialization => true;

    internal override SessionReset On(DbProviderProfile provider, bool hasOwnPool) => new RollbackReset(provider);

    public override bool MayLeaveTraces(string statement) =>
        profile is not { PlainStatementsEndTheirTransactions: true } || !PlainStatements.IsOne(statement);

    public override ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken) =>
        (profile ?? DbProviderProfile.For(connection.GetType())).TryRollbackAsync(connection, cancellationToken);
}
