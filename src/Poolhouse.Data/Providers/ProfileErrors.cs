namespace Poolhouse.Data.Providers;

/// <summary>The classifier of a pool whose profile is set.</summary>
internal sealed class ProfileErrors(DbProviderProfile profile) : DbErrorClassifier
{
    private protected override DbProviderProfile ProfileOf(Exception exception) => profile;
}
