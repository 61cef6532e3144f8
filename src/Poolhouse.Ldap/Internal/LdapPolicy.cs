using Poolhouse.Ldap.Internal.Servers;

namespace Poolhouse.Ldap.Internal;

/// <summary>The common base of both kinds of connections: opened on one of several servers, on the pool's threads.</summary>
internal abstract class LdapPolicy(LdapOpener opener, LdapThreads threads, LdapServers servers, ResourcePoolOptions options)
    : ResourcePolicy<PooledLdapConnection>
{
    private volatile ResourcePoolOptions _options = options;

    protected LdapOpener Opener => opener;

    protected ResourcePoolOptions Options => _options;

    /// <summary>Applies settings that were validated.</summary>
    public void Reconfigure(ResourcePoolOptions changed) => _options = changed;

    protected override IReadOnlyList<ServerStatistics<string>> GetServers() => servers.GetStatisticsByName();

    public override bool IsPermanent(Exception createFailure) => LdapResults.IsPermanent(createFailure);

    public override bool IsBroken(PooledLdapConnection item) => item.IsBroken || item.IsExpired;

    /// <summary>Whether a connection that was rejected works, and gives way to one on a preferred server.</summary>
    public override bool IsExpired(PooledLdapConnection item) =>
        !item.IsBroken && item.Origin is { } origin && origin.ShouldFailBack();

    public override bool IsBrokenAfterIdle(PooledLdapConnection item) => item.HasHungUp;

    public override async ValueTask KeepAliveAsync(PooledLdapConnection item, CancellationToken cancellationToken)
    {
        if (!await ValidateOnServerAsync(item, cancellationToken).ConfigureAwait(false))
        {
            throw new InvalidOperationException("The connection is broken.");
        }
    }

    public override ValueTask DestroyAsync(PooledLdapConnection item, DestroyReason reason)
    {
        // Its capacity is held until it is closed or DestroyTimeout has passed: the server counts it that long.
        item.Origin?.Detach();
        return new ValueTask(item.CloseAsync());
    }

    protected async ValueTask<PooledLdapConnection> OpenAsync(
        Func<LdapServer, PooledLdapConnection> open, CancellationToken deadline)
    {
        var startedAt = _options.TimeProvider.GetTimestamp();
        var set = await servers.GetAsync(deadline).ConfigureAwait(false);
        try
        {
            var item = await set.CreateAsync(
                (server, token) => CallAsync(() => open(server), Discard, "open", _options.CreateTimeout, token),
                RemainingSince(startedAt),
                deadline).ConfigureAwait(false);
            item.Value.Origin = item;
            return item.Value;
        }
        catch (Exception failure) when (!LdapResults.IsPermanent(failure))
        {
            servers.ReportUnreachable();
            throw;
        }
    }

    /// <summary>
    /// As <see cref="OpenAsync"/>, for a dedicated thread of the resource pool on which a blocked caller waits.
    /// </summary>
    protected PooledLdapConnection Open(Func<LdapServer, PooledLdapConnection> open, CancellationToken deadline)
    {
        var startedAt = _options.TimeProvider.GetTimestamp();
        var set = servers.Get(deadline);
        try
        {
            var item = set.Create(
                (server, token) => threads.Run(
                    signal => new LdapCall<PooledLdapConnection>(() => open(server), Discard) { Signal = signal },
                    _options.CreateTimeout, "open", token),
                RemainingSince(startedAt),
                deadline);
            item.Value.Origin = item;
            return item.Value;
        }
        catch (Exception failure) when (!LdapResults.IsPermanent(failure))
        {
            servers.ReportUnreachable();
            throw;
        }
    }

    protected async ValueTask<bool> ValidateOnServerAsync(PooledLdapConnection item, CancellationToken cancellationToken)
    {
        var queuedAt = _options.TimeProvider.GetTimestamp();
        var hadTimeToAnswer = false;
        var call = new LdapCall<bool>(Ask, onLate: null);
        try
        {
            return await threads.RunAsync(call, _options.ValidateTimeout, "validate", cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            // A server that does not answer on one connection answers on none: each of the others would delay a caller again.
            // If most of the time was spent waiting for a thread, the server could not answer.
            if (hadTimeToAnswer && call.WasRunning && failure is (TimeoutException or OperationCanceledException))
            {
                item.MarkLost(failure);
            }

            item.Break();
            throw;
        }

        bool Ask()
        {
            hadTimeToAnswer = _options.TimeProvider.GetElapsedTime(queuedAt) <= _options.ValidateTimeout / 2;
            return LdapOpener.Works(item);
        }
    }

    protected async ValueTask<TResult> CallAsync<TResult>(
        Func<TResult> work, Action<TResult>? onLate, string label, TimeSpan timeout, CancellationToken cancellationToken) =>
        await threads.RunAsync(new LdapCall<TResult>(work, onLate), timeout, label, cancellationToken).ConfigureAwait(false);

    /// <summary>The rest of the time for a creation after the wait for DNS.</summary>
    private TimeSpan RemainingSince(long startedAt)
    {
        var (timeout, shortest) = (_options.CreateTimeout, TimeSpan.FromMilliseconds(1));
        if (timeout == Timeout.InfiniteTimeSpan)
        {
            return timeout;
        }

        var remaining = timeout - _options.TimeProvider.GetElapsedTime(startedAt);
        return remaining > shortest ? remaining : shortest;
    }

    private static void Discard(PooledLdapConnection late) => late.Dispose();
}
