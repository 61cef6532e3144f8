namespace Poolhouse.Samples.Shop;

internal interface ILogin
{
    ValueTask<bool> IsAllowedAsync(string user, string password, CancellationToken cancellationToken);
}
