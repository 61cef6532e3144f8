namespace Poolhouse.Samples.Shop;

/// <summary>Accepts every user.</summary>
internal sealed class OpenHouse : ILogin
{
    public ValueTask<bool> IsAllowedAsync(string user, string password, CancellationToken cancellationToken) => new(true);
}
