using System.Data.Common;

namespace Poolhouse.Data.Providers.Resets;

/// <summary>Leaves the session as it is.</summary>
internal sealed class NoReset : SessionReset
{
    internal override bool KeepsInitialization => true;

    internal override bool IsNone => true;

    public override bool MayLeaveTraces(string statement) => false;

    public override ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken) =>
        new(result: true);
}
