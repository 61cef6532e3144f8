using Microsoft.Playwright;

namespace Poolhouse.Samples.Recipes;

// snippet: page-policy
internal sealed class PagePolicy : NestedPolicy<IBrowser, IPage>
{
    public override async ValueTask<IPage> CreateAsync(IBrowser parent, CancellationToken cancellationToken)
    {
        var context = await parent.NewContextAsync(); // with its own cookies and storage
        return await context.NewPageAsync();
    }

    public override bool IsBroken(IPage item) => item.IsClosed;

    // A context cannot be cleaned reliably. A new one is cheap; the browser stays.
    public override ValueTask<bool> ResetAsync(IPage item, CancellationToken cancellationToken) => new(result: false);

    public override async ValueTask DestroyAsync(IPage item, DestroyReason reason) => await item.Context.CloseAsync();
}
// end snippet
