namespace Poolhouse.Data.Providers;

/// <summary>The provider of Firebird.</summary>
internal sealed class FirebirdProfile : DbProviderProfile
{
    public override string Name => "FirebirdSql.Data.FirebirdClient";

    public override bool Recognizes(Type type) => type.Namespace is "FirebirdSql.Data.FirebirdClient";
}
