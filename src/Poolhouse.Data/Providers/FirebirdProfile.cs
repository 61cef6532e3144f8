namespace Poolhouse.Data.Providers;

/// <summary>The provider of Firebird.</summary>
internal sealed class FirebirdProfile : DbProviderProfile
{
    public override string Name => "FirebirdSql.Data.FirebirdClient";

    // The server has no reset before version 4, and no limit of a statement's time either.
    public override DbProviderLimits Limits => DbProviderLimits.SessionState | DbProviderLimits.Timeouts;

    public override string ValidationQuery => "SELECT 1 FROM RDB$DATABASE";

    public override bool Recognizes(Type type) => type.Namespace is "FirebirdSql.Data.FirebirdClient";
}
