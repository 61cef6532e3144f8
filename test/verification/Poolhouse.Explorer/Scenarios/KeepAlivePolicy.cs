namespace Poolhouse.Explorer.Scenarios;

/// <summary>A policy whose parts are kept alive.</summary>
internal sealed class KeepAlivePolicy(TimeProvider clock) : PartPolicy(clock)
{
    public override ValueTask KeepAliveAsync(Part item, CancellationToken cancellationToken)
    {
        RequireAlive(item);
        LastUntil(default);
        return default;
    }
}
