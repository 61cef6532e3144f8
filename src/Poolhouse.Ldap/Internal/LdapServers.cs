using System.DirectoryServices.Protocols;
using System.Runtime.ExceptionServices;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Ldap.Internal;

/// <summary>The servers of a pool: those that its options list, or those that DNS names for a domain.</summary>
// Invariants
//   the set, once made, stays; answers of DNS change its list, failures change nothing
//   at most one look-up is under way, and it is _lookUp; one that was given up changes nothing any more
//   a look-up begins only for a creation, when none has succeeded yet or _dueAt is over: there is no timer
// Order of writes
//   the end of a look-up first changes the set, then lets the next one begin, then tells those who wait: so answers are taken one
//   after the other, and every waiter sees the set
// Locks: one gate for _lookUp and the times. The clock, DNS, the set and those who wait are not called under it.
internal sealed class LdapServers
{
    private readonly Lock _gate = new();
    private readonly LdapPoolOptions _options;
    private readonly LdapThreads _threads;
    private readonly PoolClock _clock;
    private readonly long _interval;
    private readonly long _retryDelay;
    private ServerSet<LdapServer>? _set;
    private HashSet<LdapServer> _answer = [];
    private ServerLookUp? _lookUp;
    private long _askedAt = PoolClock.Past;
    private long _dueAt = PoolClock.Past;

    /// <param name="options">Frozen.</param>
    /// <param name="threads">Where look-ups block.</param>
    public LdapServers(LdapPoolOptions options, LdapThreads threads)
    {
        _options = options;
        _threads = threads;
        _clock = new PoolClock(options.Pool.TimeProvider);
        _interval = _clock.Ticks(options.DnsRefreshInterval);
        _retryDelay = Math.Min(_interval, _clock.Ticks(options.ServerSet.RecheckDelay));
        _set = options.DnsDomain is null ? new ServerSet<LdapServer>(options.ServerList, options.ServerSet) : null;
    }

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

#pragma warning disable VSTHRD002 // On a thread of the pool's own; the look-up ends on another one, which wakes it directly.
        lookUp!.Outcome.Wait(_options.Pool.CreateTimeout, deadline);
        return Found(lookUp.Outcome.IsCompleted ? lookUp.Outcome.Result : TooLate(cause: null));
#pragma warning restore VSTHRD002
    }

    /// <summary>Reports that none of the servers could be reached: DNS may list others by now.</summary>
    public void ReportUnreachable()
    {
        lock (_gate)
        {
            _dueAt = Math.Min(_dueAt, PoolClock.Add(_askedAt, _retryDelay));
        }

        LookUpIfDue();
    }

    /// <summary>Changes a list that does not come from DNS.</summary>
    public void Replace(IReadOnlyList<LdapServer> servers) => _set!.Replace(servers);

    /// <summary>What is known about the servers; nothing before DNS named any.</summary>
    public IReadOnlyList<ServerStatistics<LdapServer>> GetStatistics() => Volatile.Read(ref _set)?.GetStatistics() ?? [];

    /// <summary>Begins a look-up if it is time for one.</summary>
    /// <returns>The one under way; not null while there is no set.</returns>
    private ServerLookUp? LookUpIfDue()
    {
        if (_options.DnsDomain is null)
        {
            return null;
        }

        ServerLookUp begun;
        var now = _clock.Now;
        lock (_gate)
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
                Ask(lookUp);
                return true;
            },
            onLate: null);
        try
        {
            await _threads.RunAsync(call, _options.Pool.CreateTimeout, "look up servers", CancellationToken.None).ConfigureAwait(false);
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

    // On the thread that asked, so that callers who block depend on no thread of the thread pool.
    private void Ask(ServerLookUp lookUp)
    {
        try
        {
            End(lookUp, SrvRecords.LookUp(_options.DnsDomain!, _options.AskDns), failure: null);
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

        var now = _clock.Now;
        lock (_gate)
        {
            _askedAt = now;
            _dueAt = PoolClock.Add(now, answer is null ? _retryDelay : _interval);
            _lookUp = null;
        }

        lookUp.Tell(failure);
    }

    // Servers of one priority come in another order each time. The old one stays until there are other servers, so that connections
    // do not fail back for nothing.
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
        SrvRecords.Failed(_options.DnsDomain!, $"no answer within CreateTimeout ({_options.Pool.CreateTimeout})", cause);
}
