namespace Poolhouse.Data.Providers;

/// <summary>The profile of every provider that has none of its own.</summary>
internal sealed class GenericProfile : DbProviderProfile
{
    public override string Name => "any other provider";

    public override bool Recognizes(Type type) => false;

    // Oracle: its processes or sessions, those of a user, or the handlers of the listener are all in use.
    public override bool LacksRoom(Exception openFailure) =>
        base.LacksRoom(openFailure)
        || (openFailure.GetType().Namespace?.StartsWith("Oracle.", StringComparison.Ordinal) == true
            && ErrorNumberOf(openFailure) is 18 or 20 or 2391 or 12516 or 12519 or 12520);
}
