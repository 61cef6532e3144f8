using System.DirectoryServices.Protocols;
using System.Runtime.ExceptionServices;
using Poolhouse.Kernel.Threading;
using Poolhouse.Servers;

namespace Poolhouse.Ldap.Internal.Servers;

/// <summary>The servers of a pool: from its options, or from the SRV records of a domain.</summary>
// Invariants
//   the set is created once; answers of DNS change its list, failures change nothing
//   at most one lookup is pending, and it is _lookUp; an abandoned lookup changes nothing
//   a lookup starts only for a creation, if none has succeeded yet or _dueAt has passed: there is no timer
// Order of writes
//   the end of a lookup first changes the set, then lets the next one start, then notifies the waiters: so answers are applied
//   one after the other, and every waiter sees the set
// Locks: one gate for _lookUp and the times. The clock, DNS, the set and the waiters are not called under it.
internal sealed class LdapServers
{
    private readonly Gate _gate = new();
    private readonly LdapPoolOptions _options;
    private readonly LdapThreads _threads;
    private readonly TimeProvider _time;
    private readonly long _startedAt;
    private readonly TimeSpan _retryDelay;
    private ServerSet<LdapServer>? _set;
    private volatile ResourcePoolOptions _pool;
    private HashSet<LdapServer> _answer = [];
    private ServerLookUp? _lookUp;

    // Times since _startedAt. The first lookup is due at once.
    private TimeSpan _lookedUpAt;
    private TimeSpan _dueAt;

    /// <param name="options">Frozen.</param>
    /// <param name="threads">The threads on which lookups block.</param>
    public LdapServers(LdapPoolOptions options, LdapThreads threads)
    {
        _options = options;
        _pool = options.Pool;
        _threads = threads;
        _time = options.Pool.TimeProvider;
        _startedAt = _time.GetTimestamp();
        _retryDelay = options.DnsRefreshInterval < options.ServerSet.RecheckDelay
            ? options.DnsRefreshInterval
            : options.ServerSet.RecheckDelay;
        _set = options.DnsDomain is null ? new ServerSet<LdapServer>(options.ServerList, options.ServerSet) : null;
    }

    private TimeSpan Now => _time.GetElapsedTime(_startedAt);

    /// <summary>The servers. Waits for DNS only until its first answer; later queries run without a waiter.</summary>
    /// <param name="deadline">Cancels the wait.</param>
    public async ValueTask<ServerSet<LdapServer>> GetAsync(CancellationToken deadline)
    {
        var lookUp = LookUpIfDue();
        if (Volatile.Read(ref _set) is { } set)
        {
            return set;
        }

        return Found(await lookUp!.Outcome.WaitAsync(deadline).ConfigureAwait(false));
    }

    /// <summary>As <see cref="GetAsync"/>, blocking, also where every thread-pool thread is blocked.</summary>
    /// <param name="deadline">Cancels the wait.</param>
    public ServerSet<LdapServer> Get(CancellationToken deadline)
    {
        var lookUp = LookUpIfDue();
        if (Volatile.Read(ref _set) is { } set)
        {
            return set;
        }

#pragma warning disable VSTHRD002 // On a dedicated thread of the pool; the lookup ends on another one, which wakes it directly.
        lookUp!.Outcome.Wait(LdapThreads.LimitWait(_pool.CreateTimeout), deadline);
        return Found(lookUp.Outcome.IsCompleted ? lookUp.Outcome.Result : TooLate(cause: null));
#pragma warning restore VSTHRD002
    }

    /// <summary>Reports that no server could be reached. DNS may list other servers by now.</summary>
    public void ReportUnreachable()
    {
        using (_gate.Enter())
        {
            var retryAt = _lookedUpAt + _retryDelay;
            _dueAt = retryAt < _dueAt ? retryAt : _dueAt;
        }

        LookUpIfDue();
    }

    /// <summary>Applies the new limit of a creation to the lookups that start from now on.</summary>
    public void Reconfigure(ResourcePoolOptions changed) => _pool = changed;

    /// <summary>Changes a list that does not come from DNS.</summary>
    public void Replace(IReadOnlyList<LdapServer> servers) => _set!.Replace(servers);

    /// <summary>The statistics of the servers; empty before the first answer of DNS.</summary>
    public IReadOnlyList<ServerStatistics<LdapServer>> GetStatistics() => Volatile.Read(ref _set)?.GetStatistics() ?? [];

    /// <summary>The same, with names instead of servers.</summary>
    public IReadOnlyList<ServerStatistics<string>> GetStatisticsByName() =>
        Volatile.Read(ref _set)?.GetStatistics(static server => $"{server.Host}:{server.Port}") ?? [];

    /// <summary>Starts a lookup if one is due.</summary>
    /// <returns>The pending lookup; not null while there is no set.</returns>
    private ServerLookUp? LookUpIfDue()
    {
        if (_options.DnsDomain is null)
        {
            return null;
        }

        ServerLookUp begun;
        var now = Now;
        using (_gate.Enter())
        {
            if (_lookUp is not null || (_set is not null && now < _dueAt))
            {
                return _lookUp;
            }

            _lookUp = begun = new ServerLookUp();
        }

        _ = RunAsync(begun);
        return begun;
    }

#pragma warning disable CA1031 // Any failure of a lookup reaches the callers that wait for it.
    private async Task RunAsync(ServerLookUp lookUp)
    {
        var call = new LdapCall<bool>(
            () =>
            {
                QueryDns(lookUp);
                return true;
            },
            onLate: null);
        try
        {
            await _threads.RunAsync(call, _pool.CreateTimeout, "look up servers", CancellationToken.None).ConfigureAwait(false);
        }
        catch (TimeoutException late)
        {
            End(lookUp, answer: null, TooLate(late));
        }
        catch (Exception failure)
        {
            End(lookUp, answer: null, failure);
        }
    }

    // On the thread of the lookup, so that blocking callers depend on no thread of the thread pool.
    private void QueryDns(ServerLookUp lookUp)
    {
        try
        {
            End(lookUp, SrvRecords.LookUp(_options.DnsDomain!, _options.QueryDns), failure: null);
        }
        catch (Exception failure)
        {
            End(lookUp, answer: null, failure);
        }
    }
#pragma warning restore CA1031

    private void End(ServerLookUp lookUp, IReadOnlyList<LdapServer>? answer, Exception? failure)
    {
        if (!lookUp.TryEnd())
        {
            return;
        }

        if (answer is not null)
        {
            Adopt(answer);
        }

        var now = Now;
        using (_gate.Enter())
        {
            _lookedUpAt = now;
            _dueAt = now + (answer is null ? _retryDelay : _options.DnsRefreshInterval);
            _lookUp = null;
        }

        lookUp.Complete(failure);
    }

    // Servers of one priority are returned in a random order. The old order is kept until the servers change, so that connections
    // do not fail back without a reason.
    private void Adopt(IReadOnlyList<LdapServer> answer)
    {
        if (_answer.SetEquals(answer))
        {
            return;
        }

        _answer = [.. answer];
        if (_set is { } set)
        {
            set.Replace(answer);
        }
        else
        {
            Volatile.Write(ref _set, new ServerSet<LdapServer>(answer, _options.ServerSet));
        }
    }

    private ServerSet<LdapServer> Found(Exception? failure)
    {
        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        return _set!;
    }

    private LdapException TooLate(Exception? cause) =>
        SrvRecords.Failed(_options.DnsDomain!, $"no answer within CreateTimeout ({_pool.CreateTimeout})", cause);
}
