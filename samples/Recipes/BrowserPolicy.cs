using Microsoft.Playwright;

namespace Poolhouse.Samples.Recipes;

// snippet: browser-policy
internal sealed class BrowserPolicy(IBrowserType type, BrowserTypeLaunchOptions options) : ResourcePolicy<IBrowser>
{
    public override async ValueTask<IBrowser> CreateAsync(CancellationToken cancellationToken) => await type.LaunchAsync(options);

    public override bool IsBroken(IBrowser item) => !item.IsConnected;
}
// end snippet
