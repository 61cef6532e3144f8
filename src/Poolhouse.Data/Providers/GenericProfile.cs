namespace Poolhouse.Data.Providers;

/// <summary>The profile of every provider that has none of its own.</summary>
internal sealed class GenericProfile : DbProviderProfile
{
    public override string Name => "any other provider";

    public override bool Recognizes(Type type) => false;
}
