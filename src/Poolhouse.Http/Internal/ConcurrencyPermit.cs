namespace Poolhouse.Http.Internal;

/// <summary>One of the places of a bulkhead: the item of its pool.</summary>
internal sealed class ConcurrencyPermit : Permit
{
    /// <summary>The lease of this very place, for as long as it is held.</summary>
    public Lease<ConcurrencyPermit> Lease { get; private set; }

    /// <summary>Begins to hold the place that was just rented.</summary>
    public static ConcurrencyPermit Take(Lease<ConcurrencyPermit> lease)
    {
        var place = lease.Value;
        place.Lease = lease;
        return place;
    }

    public override void End() => Lease.Dispose();
}
