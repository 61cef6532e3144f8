namespace Poolhouse.Http.Internal;

/// <summary>Creates permits, which cost nothing and never break.</summary>
internal sealed class ConcurrencyPermitPolicy : ResourcePolicy<ConcurrencyPermit>
{
    public static ConcurrencyPermitPolicy Instance { get; } = new();

    public override ValueTask<ConcurrencyPermit> CreateAsync(CancellationToken cancellationToken) => new(new ConcurrencyPermit());

    public override ConcurrencyPermit Create(CancellationToken cancellationToken) => new();
}
