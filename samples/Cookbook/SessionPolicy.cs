namespace Poolhouse.Samples.Cookbook;

/// <summary>How the pool treats sessions.</summary>
// snippet: recipe-policy
internal sealed class SessionPolicy : ResourcePolicy<Session>
{
    public override ValueTask<Session> CreateAsync(CancellationToken cancellationToken) => Session.OpenAsync(cancellationToken);

    // Called at each rent and return: it must be cheap.
    public override bool IsBroken(Session item) => item.IsClosed;

    // Called when an item was idle for longer than ValidateAfterIdle: it may make a round trip.
    public override async ValueTask<bool> ValidateAsync(Session item, LeaseInfo info, CancellationToken cancellationToken) =>
        await item.SendAsync("ping", cancellationToken) is "PING";
}
// end snippet
