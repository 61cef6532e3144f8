using Poolhouse.Data.Opening;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Data.Sessions;

/// <summary>Pools connections whose every use is seen by wrappers: those that executed nothing need no reset.</summary>
internal sealed class PhysicalConnectionPolicy(ConnectionPolicy care) : ResourcePolicy<PhysicalConnection>
{
    internal override ResourceHooks Hooks => care.Without(base.Hooks, care.Options.Enlist);

    public override ValueTask<PhysicalConnection> CreateAsync(CancellationToken cancellationToken) => care.OpenAsync(cancellationToken);

    public override PhysicalConnection Create(CancellationToken cancellationToken) => care.Open(cancellationToken);

    public override bool IsPermanent(Exception createFailure) => care.IsPermanent(createFailure);

    public override bool IsBroken(PhysicalConnection item) => care.IsUnusable(item);

    public override bool NeedsReset(PhysicalConnection item) => item.NeedsReset;

    public override ValueTask<bool> ValidateAsync(PhysicalConnection item, LeaseInfo info, CancellationToken cancellationToken) =>
        care.ValidateAsync(item, cancellationToken);

    public override ValueTask<bool> ResetAsync(PhysicalConnection item, CancellationToken cancellationToken) => care.ResetAsync(item, cancellationToken);

    public override async ValueTask KeepAliveAsync(PhysicalConnection item, CancellationToken cancellationToken) =>
        KeepAlive.ThrowIfLost(await care.ValidateAsync(item, cancellationToken).ConfigureAwait(false));

    internal override void OnValidationGivenUp(PhysicalConnection item) => care.OnValidationGivenUp(item);

    public override ValueTask DestroyAsync(PhysicalConnection item, DestroyReason reason) => care.CloseAsync(item);
}
