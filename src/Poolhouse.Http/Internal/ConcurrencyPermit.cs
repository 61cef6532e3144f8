namespace Poolhouse.Http.Internal;

/// <summary>A permit of a bulkhead: the item of its pool.</summary>
internal sealed class ConcurrencyPermit : Permit
{
    /// <summary>The lease of this permit while it is held.</summary>
    public Lease<ConcurrencyPermit> Lease { get; private set; }

    /// <summary>Begins to hold the permit that was just rented.</summary>
    public static ConcurrencyPermit Take(Lease<ConcurrencyPermit> lease)
    {
        var permit = lease.Value;
        permit.Lease = lease;
        return permit;
    }

    public override void End() => Lease.Dispose();
}
