
namespace Poolhouse.Samples.NativeAot;

/// <summary>Overrides a hook of each kind, so that a native build has to find out which ones there are.</summary>
internal sealed class PartPolicy : ResourcePolicy<List<int>>
{
    public override ValueTask<List<int>> CreateAsync(CancellationToken cancellationToken) => new(new List<int>());

    public override List<int> Create(CancellationToken cancellationToken) => [];

    public override ValueTask<bool> ResetAsync(List<int> item, CancellationToken cancellationToken)
    {
        item.Clear();
        return new(result: true);
    }
}
