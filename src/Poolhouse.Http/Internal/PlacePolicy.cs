using Poolhouse.Resources;

namespace Poolhouse.Http;

/// <summary>Places are free to make and never go bad.</summary>
internal sealed class PlacePolicy : ResourcePolicy<Place>
{
    public static PlacePolicy Instance { get; } = new();

    public override ValueTask<Place> CreateAsync(CancellationToken cancellationToken) => new(new Place());

    public override Place Create(CancellationToken cancellationToken) => new();
}
