namespace Poolhouse.Data.Providers;

/// <summary>DuckDB.NET.</summary>
internal sealed class DuckDbProfile : DbProviderProfile
{
    public override string Name => "DuckDB.NET.Data";

    public override bool Recognizes(Type type) => type.Namespace is "DuckDB.NET.Data";
}
