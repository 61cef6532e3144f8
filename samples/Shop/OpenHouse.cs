namespace Poolhouse.Samples.Shop;

/// <summary>Lets everybody in.</summary>
internal sealed class OpenHouse : ILogin
{
    public ValueTask<bool> IsAllowedAsync(string user, string password, CancellationToken cancellationToken) => new(true);
}
