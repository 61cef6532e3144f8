
namespace Poolhouse.Samples.NativeAot;

/// <summary>Children that need nothing.</summary>
internal sealed class ChildPolicy : NestedPolicy<List<int>, int[]>
{
    public override ValueTask<int[]> CreateAsync(List<int> parent, CancellationToken cancellationToken) =>
        new(new int[parent.Count]);
}
