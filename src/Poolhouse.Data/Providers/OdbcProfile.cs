namespace Poolhouse.Data.Providers;

/// <summary>The provider of ODBC drivers.</summary>
internal sealed class OdbcProfile : DbProviderProfile
{
    public override string Name => "System.Data.Odbc";

    public override bool Recognizes(Type type) => type.Namespace is "System.Data.Odbc";

    public override bool UsesOdbcRules => true;
}
