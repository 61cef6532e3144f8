
namespace Poolhouse.Samples.HelloPools;

// snippet: resource-policy
internal sealed class LinkPolicy : ResourcePolicy<Link>
{
    public override ValueTask<Link> CreateAsync(CancellationToken cancellationToken) => Link.OpenAsync(cancellationToken);

    public override bool IsBroken(Link item) => item.IsBroken;

    public override ValueTask<bool> ResetAsync(Link item, CancellationToken cancellationToken)
    {
        item.User = null;
        return new(result: true);
    }
}
// end snippet
