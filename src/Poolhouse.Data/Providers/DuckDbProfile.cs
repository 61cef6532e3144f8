using System.Data.Common;
using Poolhouse.Data.Providers.Resets;

namespace Poolhouse.Data.Providers;

/// <summary>DuckDB.NET.</summary>
// There is no reset, and opening another connection to an open database is cheap.
internal sealed class DuckDbProfile : DbProviderProfile
{
    public override string Name => "DuckDB.NET.Data";

    public override string Guarantee =>
        "everything: a session that executed more than single queries, changes of rows and transactions of the " +
        "provider is closed";

    public override DbProviderLimits Limits => DbProviderLimits.Scopes | DbProviderLimits.Timeouts | DbProviderLimits.Server;

    public override bool Recognizes(Type type) => type.Namespace is "DuckDB.NET.Data";

    public override SessionReset GetReset(DbConnection connection) =>
        DiscardReset.IsFor(connection) ? SessionReset.Discard : SessionReset.PlainOnly;
}
