using System.Collections.Concurrent;

namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>The seeded bugs.</summary>
internal static class WrongVariants
{
    private const string Listed = "The list of leases has the active ones, the oldest first";
    private const string ListedUnderLoad =
        "While leases begin and end, no ended lease is listed, and never more than MaxSize";

    private const string CallDoesNotReturn = "A call into the pool does not return";

    private static readonly TimeSpan _never = Timeout.InfiniteTimeSpan;

    // What the checks wait for in vain. A bug that is not listed here must be found by a comparison: without a table, every bug
    // would count as found on a machine so busy that a check of a correct pool times out.
    private static readonly Dictionary<string, string> _neverObserved = new(StringComparer.Ordinal)
    {
        ["one item too few"] = "a lease came",
        ["no rent timeout"] = "PoolTimeoutException was thrown",
        ["no create timeout"] = "the caller gets an item, or the pool comes to rest",
        ["double create timeout"] = "the caller gets an item, or the pool comes to rest",
        ["no validate timeout"] = "a lease of another item came",
        ["keep-alive without a timeout"] = "a lease of another item came",
        ["no reset timeout"] = "a lease of another item came",
        ["no destroy timeout"] = "a lease of another item came",
        ["items stay idle for ever"] = "idle items are destroyed down to the minimum",
        ["items live for ever, late"] = "the item is destroyed",
        ["leased items live for ever"] = "the item is destroyed",
        ["no jitter"] = "some of 24 items are destroyed after three quarters of the lifetime",
        ["no minimum"] = "the minimum is filled",
        ["minimum forgotten by IdleTimeout"] = "idle items are destroyed down to the minimum",
        ["no limit of waiters"] = "PoolOverloadedException was thrown",
        ["one waiter too many"] = "PoolOverloadedException was thrown",
        ["one creation at a time"] = "three creations are under way",
        ["no keep-alive"] = "an idle item is kept alive",
        ["waits where it should refuse"] = "PoolUnavailableException was thrown",
        ["waits through outages"] = "PoolUnavailableException was thrown",
        ["no overload control"] = "the caller gets an answer, however much time passes",
        ["observer dropped"] = "the observer is notified of a suspected leak",
        ["no leak threshold"] = "the observer is notified of a suspected leak",
        ["another clock, late"] = "the item is destroyed",
        ["a creation is tried again by itself"] = "PoolUnavailableException was thrown",
        ["failed keep-alive ignored"] = "the item is destroyed",
        ["failed destructions are not counted"] = "the failed destruction is counted",
        ["created items are kept alive"] = "the garbage collector collects an item that the pool has released",
        ["a blocked caller waits for a task: Interrupting a caller does not cancel its creation"] =
            "the item created for another caller came",
        ["an interrupt is swallowed"] = "ThreadInterruptedException was thrown",
        ["an item that comes with an interrupt is lost"] = "a lease came",
        ["timeouts ignored"] = "PoolTimeoutException was thrown",
        ["cancellation ignored"] = "OperationCanceledException was thrown",
        ["a token ends the lease of the caller that was served"] = "the item came",
        ["callers barge in"] = "a lease came",
        ["the ExecutionContext flows into the pool"] = "the garbage collector collects what the caller's ExecutionContext held",
        ["a fatal error ages nothing"] = "the idle item of the same age is destroyed",
        ["the bound never changes"] = "the idle item is destroyed",
        ["the bound never grows"] = "the second item came",
        ["a suspended pool is never resumed"] = "the first caller's item came",
        ["nothing is drained"] = "ObjectDisposedException was thrown",
        ["nothing is disposed"] = "ObjectDisposedException was thrown",
        ["creations are lost"] = "all callers are served",
        ["destructions are lost"] = "the pool comes to rest",
        ["users are never served"] = "the users end",
        ["leases are lost"] = "the end of the users' work",
        ["a rent blocks"] = CallDoesNotReturn,
        ["statistics block"] = CallDoesNotReturn,
        ["a change of the bound blocks"] = CallDoesNotReturn,
        ["a clear blocks"] = CallDoesNotReturn,
        ["a resumption blocks"] = CallDoesNotReturn,
        ["a disposal blocks"] = CallDoesNotReturn,
        ["a disposal never ends"] = "the end of the disposal came",
    };

    private static volatile TaskCompletionSource _end = new();

    public static IReadOnlyList<WrongVariant> All { get; } = [.. Settings(), .. Hooks(), .. Wrappers()];

    /// <summary>The names under which the bugs of <see cref="All"/> are checked, each also with late hooks.</summary>
    public static IEnumerable<(string Name, WrongVariant Variant)> AllChecked => All.SelectMany(
        variant => new[]
        {
            (variant.Bug, variant),
            (variant.Bug + ", late", variant with { IsLate = true }),
        });

    /// <summary>
    /// The end of the message of the check that waits for what the bug prevents, or null if a check compares values.
    /// </summary>
    public static string? NeverObserved(WrongVariant variant) =>
        variant.IsLate && _neverObserved.TryGetValue(variant.Bug + ", late", out var late)
            ? late
            : _neverObserved.GetValueOrDefault(variant.Bug);

    /// <summary>Releases blocked calls.</summary>
    public static void Unblock()
    {
        var end = _end;
        _end = new TaskCompletionSource();
        end.SetResult();
    }

    /// <summary>A pool that ignores an option.</summary>
    private static IEnumerable<WrongVariant> Settings()
    {
        yield return Setting(
            "one item too many", "Capacity is held from the start of a creation until the item is destroyed", o => o.MaxSize++);
        yield return Setting(
            "one item too few", "No more items are created than callers need", o => o.MaxSize = Math.Max(o.MaxSize - 8, 1));
        yield return Setting(
            "no rent timeout", "A caller times out at its deadline although all items are leased", o => o.RentTimeout = _never,
            forgetsTimeouts: true);
        yield return Setting(
            "no create timeout", "A creation that hangs is abandoned at its deadline, and its capacity is released",
            o => o.CreateTimeout = _never);
        yield return Setting(
            "double create timeout", "An item whose creation was abandoned is destroyed when it arrives late",
            o => o.CreateTimeout = TimeSpan.FromHours(23));
        yield return Setting(
            "no validate timeout", "A validation that hangs is abandoned at its deadline, and its capacity is released",
            o => o.ValidateTimeout = _never);
        yield return Setting(
            "keep-alive without a timeout", "A keep-alive that hangs is abandoned at its deadline, and its capacity is released",
            o => o.ValidateTimeout = _never);
        yield return Setting(
            "no reset timeout", "A reset that hangs is abandoned at its deadline, and its capacity is released",
            o => o.ResetTimeout = _never);
        yield return Setting(
            "reset timeout too short", "A reset that hangs is abandoned at its deadline, and its capacity is released",
            o => o.ResetTimeout /= 2);
        yield return Setting(
            "validate timeout too short", "A validation that hangs is abandoned at its deadline, and its capacity is released",
            o => o.ValidateTimeout /= 2);
        yield return Setting(
            "no destroy timeout", "A destruction that hangs is abandoned at its deadline, and its capacity is released",
            o => o.DestroyTimeout = _never);
        yield return Setting(
            "destroy timeout too short", "A destruction that hangs is abandoned at its deadline, and its capacity is released",
            o => o.DestroyTimeout /= 2);
        yield return Setting(
            "items stay idle for ever", "Idle items are destroyed after IdleTimeout, down to MinIdle",
            o => o.IdleTimeout = _never);
        yield return Setting(
            "items idle half the time", "Idle items are destroyed after IdleTimeout, down to MinIdle",
            o => o.IdleTimeout = Half(o.IdleTimeout));
        yield return Setting(
            "items live for ever", "An idle item is destroyed when it reaches its lifetime, and not before",
            o => o.MaxLifetime = _never);
        yield return Setting(
            "items live half their time", "An idle item is destroyed when it reaches its lifetime, and not before",
            o => o.MaxLifetime = Half(o.MaxLifetime));
        yield return Setting(
            "leased items live for ever", "A leased item outlives its lifetime and is destroyed when it is returned",
            o => o.MaxLifetime = _never);
        yield return Setting(
            "items are leased without a limit",
            "An item that was leased MaxUses times is destroyed when it is returned, and not before",
            o => o.MaxUses = int.MaxValue);
        yield return Setting(
            "items are leased once too often",
            "An item that was leased MaxUses times is destroyed when it is returned, and not before",
            o => o.MaxUses += o.MaxUses == int.MaxValue ? 0 : 1);
        yield return Setting(
            "items are leased once too few",
            "An item that was leased MaxUses times is destroyed when it is returned, and not before",
            o => o.MaxUses -= o.MaxUses == int.MaxValue ? 0 : 1);
        yield return Setting("no jitter", "Items created together do not expire together", o => o.LifetimeJitter = 0);
        yield return Setting(
            "jitter too large", "Items created together do not expire together",
            o => o.LifetimeJitter = Math.Min(o.LifetimeJitter * 2, 1));
        yield return Setting("no minimum", "MinIdle is filled at the start and after losses", o => o.MinIdle = 0);
        yield return Setting(
            "minimum forgotten by IdleTimeout", "Idle items are destroyed after IdleTimeout, down to MinIdle",
            o => o.MinIdle = 0);
        yield return Setting(
            "no limit of waiters", "A caller beyond MaxWaiters is rejected at once", o => o.MaxWaiters = int.MaxValue);
        yield return Setting("one waiter too many", "A caller beyond MaxWaiters is rejected at once", o => o.MaxWaiters = 2);
        yield return Setting(
            "no limit of creations", "The number of concurrent creations never exceeds MaxConcurrentCreates",
            o => o.MaxConcurrentCreates = o.MaxSize);
        yield return Setting(
            "one creation at a time", "The number of concurrent creations never exceeds MaxConcurrentCreates",
            o => o.MaxConcurrentCreates = 1);
        yield return Setting(
            "idle order reversed", "Surplus items age out in the order Lifo, and are all used in the order Fifo",
            o => o.IdleOrder = IdleOrder.Fifo);
        yield return Setting(
            "no validation of idle items", "An idle item that fails its validation is not rented",
            o => o.ValidateAfterIdle = _never);
        yield return Setting(
            "every rent validates", "An item is validated only after it was idle for ValidateAfterIdle",
            o => o.ValidateAfterIdle = TimeSpan.Zero);
        yield return Setting(
            "no keep-alive", "A keep-alive that fails destroys the item and releases its capacity",
            o => o.KeepAliveInterval = _never);
        yield return Setting(
            "waits where it should refuse",
            "With an OutageTimeout of zero, callers are refused at once with the failed creation as the cause",
            o => o.OutageTimeout = Timeout.InfiniteTimeSpan);
        yield return Setting(
            "waits through outages", "A caller is refused when it has waited for OutageTimeout, with the cause",
            o => o.OutageTimeout = Timeout.InfiniteTimeSpan);
        yield return Setting(
            "refuses where it should wait", "A failed creation is retried, and callers wait through it",
            o => o.OutageTimeout = TimeSpan.Zero);
        yield return Setting(
            "delays that do not grow", "During an outage without callers the delays between creations grow",
            o => o.MaxRetryDelay = o.RetryDelay);
        yield return Setting(
            "no overload control", "An unreferenced caller without a deadline is shed when the queue stands still",
            o => o.Overload = null);
        yield return Setting(
            "observer dropped", "An observer is notified of creations, failures, waits, leaks and destructions",
            o => o.Observer = null);
        yield return Setting(
            "no leak threshold", "An observer is notified of creations, failures, waits, leaks and destructions",
            o => o.LeakThreshold = _never);
        yield return Setting(
            "another clock", "An idle item is destroyed when it reaches its lifetime, and not before",
            o => o.TimeProvider = TimeProvider.System);
    }

    /// <summary>A pool that calls its policy wrongly.</summary>
    private static IEnumerable<WrongVariant> Hooks()
    {
        yield return Hook("the same item for everybody", "An item has one owner at a time", inner =>
        {
            Task<ContractItem>? first = null;
            return new WrongPolicy(inner)
            {
                OnCreate = _ =>
                    new(LazyInitializer.EnsureInitialized(ref first, () => inner.CreateAsync(CancellationToken.None).AsTask())),
            };
        });
        yield return Hook("two items for one creation", "No more items are created than callers need", inner =>
            new WrongPolicy(inner)
            {
                OnCreate = async token =>
                {
                    await inner.CreateAsync(token);
                    return await inner.CreateAsync(token);
                },
            });
        yield return Hook("the creation's failure is wrapped",
            "With an OutageTimeout of zero, callers are refused at once with the failed creation as the cause", inner => new WrongPolicy(inner)
            {
                OnCreate = async token =>
                {
                    try
                    {
                        return await inner.CreateAsync(token);
                    }
                    catch (InvalidOperationException e)
                    {
                        throw new InvalidOperationException("wrapped", e);
                    }
                },
            });
        yield return Hook("a creation is tried again by itself",
            "With an OutageTimeout of zero, callers are refused at once with the failed creation as the cause", inner => new WrongPolicy(inner)
            {
                OnCreate = async token =>
                {
                    while (true)
                    {
                        try
                        {
                            return await inner.CreateAsync(token);
                        }
                        catch (InvalidOperationException)
                        {
                            await Task.Yield();
                        }
                    }
                },
            });
        yield return Hook(
            "broken idle items are not noticed", "An item that broke while it was idle is not rented",
            inner => new WrongPolicy(inner) { OnIsBroken = _ => false });
        yield return Hook(
            "broken returned items are not noticed", "An item that was returned broken is not rented",
            inner => new WrongPolicy(inner) { OnIsBroken = _ => false });
        yield return Hook(
            "validation forgotten", "An idle item that fails its validation is not rented",
            inner => new WrongPolicy(inner) { OnValidate = (_, _, _) => new(result: true) });
        yield return Hook("failed validation ignored",
            "A validation that fails destroys the item and releases its capacity", inner => new WrongPolicy(inner)
            {
                OnValidate = (item, info, token) => SwallowAsync(() => inner.ValidateAsync(item, info, token)),
            });
        yield return Hook("refused validation ignored",
            "A validation that rejects the item destroys it and releases its capacity", inner => new WrongPolicy(inner)
            {
                OnValidate = async (item, info, token) => await inner.ValidateAsync(item, info, token) || true,
            });
        yield return Hook(
            "reset forgotten", "A reset that fails destroys the item and releases its capacity",
            inner => new WrongPolicy(inner) { OnNeedsReset = _ => false });
        yield return Hook("failed reset ignored", "A reset that fails destroys the item and releases its capacity", inner =>
            new WrongPolicy(inner)
            {
                OnReset = (item, token) => SwallowAsync(() => inner.ResetAsync(item, token)),
            });
        yield return Hook("refused reset ignored", "A reset that rejects the item destroys it and releases its capacity", inner =>
            new WrongPolicy(inner)
            {
                OnReset = async (item, token) => await inner.ResetAsync(item, token) || true,
            });
        yield return Hook(
            "tainted items kept", "A tainted item is not reused",
            inner => new WrongPolicy(inner) { OnProveClean = (_, _) => new(result: true) });
        yield return Hook("failed proof ignored", "A tainted item whose proof fails or hangs is not reused", inner =>
            new WrongPolicy(inner)
            {
                OnProveClean = (item, token) => SwallowAsync(() => inner.ProveCleanAsync(item, token)),
            });
        yield return Hook(
            "proof forgotten", "A tainted item that the policy proves clean is reused",
            inner => new WrongPolicy(inner) { OnProveClean = (_, _) => new(result: false) });
        yield return Hook("failed keep-alive ignored",
            "A keep-alive that fails destroys the item and releases its capacity", inner => new WrongPolicy(inner)
            {
                OnKeepAlive = async (item, token) => await SwallowAsync(async () =>
                {
                    await inner.KeepAliveAsync(item, token);
                    return true;
                }),
            });
        yield return Hook(
            "items are not destroyed", "When no operation is in progress, every created item is idle, destroyed or detached",
            inner => new WrongPolicy(inner) { OnDestroy = (_, _) => default });
        yield return Hook("items are destroyed twice",
            "Each item is destroyed exactly once, whatever its state at the disposal", inner => new WrongPolicy(inner)
            {
                OnDestroy = async (item, reason) =>
                {
                    await inner.DestroyAsync(item, reason);
                    await inner.DestroyAsync(item, reason);
                },
            });
        yield return Hook("failed destructions are not counted", "A destruction that fails releases its capacity", inner =>
            new WrongPolicy(inner)
            {
                OnDestroy = async (item, reason) => await SwallowAsync(async () =>
                {
                    await inner.DestroyAsync(item, reason);
                    return true;
                }),
            });
        yield return Hook("wrong reason", "A discarded item is not reused", inner => new WrongPolicy(inner)
        {
            OnDestroy = (item, _) => inner.DestroyAsync(item, DestroyReason.Broken),
        });
        yield return Hook("ToString is called on items", "The pool never calls ToString on an item", inner =>
            new WrongPolicy(inner)
            {
                OnDestroy = (item, reason) =>
                {
                    _ = item.ToString();
                    return inner.DestroyAsync(item, reason);
                },
            });
        yield return Hook("created items are kept alive",
            "The pool keeps no destroyed or detached item alive, although its lease is referenced", inner =>
        {
            var kept = new System.Collections.Concurrent.ConcurrentBag<ContractItem>();
            return new WrongPolicy(inner)
            {
                OnCreate = async token =>
                {
                    var item = await inner.CreateAsync(token);
                    kept.Add(item);
                    return item;
                },
            };
        });
        yield return Hook("an old item is created again after Clear",
            "Every new item is created with the current credentials", inner =>
        {
            ContractItem? last = null;
            return new WrongPolicy(inner)
            {
                OnCreate = async token => last ??= await inner.CreateAsync(token),
                OnDestroy = (item, reason) => ReferenceEquals(item, last) ? default : inner.DestroyAsync(item, reason),
            };
        });
    }

    /// <summary>A pool whose members behave differently from their documentation.</summary>
    private static IEnumerable<WrongVariant> Wrappers()
    {
        foreach (var check in new[]
        {
            "An interrupted caller leaves the queue and keeps nothing",
            "Interrupting a caller does not cancel its creation",
        })
        {
            yield return Wrapper($"a blocked caller waits for a task: {check}", check, inner => new WrongPool(inner)
            {
                // An interrupt ends the wait for the task, and the task waits on.
                OnRent = (timeout, token) => inner.RentAsync(timeout, token).AsTask().GetAwaiter().GetResult(),
            });
        }

        yield return Wrapper("an interrupt is swallowed", "An interrupted caller leaves the queue and keeps nothing", inner =>
            new WrongPool(inner)
            {
                OnRent = (timeout, token) =>
                {
                    while (true)
                    {
                        try
                        {
                            return inner.Rent(timeout, token);
                        }
                        catch (ThreadInterruptedException)
                        {
                            // Once more.
                        }
                    }
                },
            });
        yield return Wrapper("an item that comes with an interrupt is lost",
            "A caller that is interrupted as its item arrives never keeps it", inner => new WrongPool(inner)
            {
                OnRent = (timeout, token) =>
                {
                    var lease = inner.Rent(timeout, token);

                    // Something that blocks, and with which the interrupt comes out.
                    using var never = new ManualResetEvent(initialState: false);
                    never.WaitOne(1);
                    return lease;
                },
            });
        yield return Wrapper("timeouts ignored", "A rent that may not wait fails at once", inner => new WrongPool(inner)
        {
            OnRentAsync = (_, token) => inner.RentAsync(Timeout.InfiniteTimeSpan, token),
        });
        yield return Wrapper("cancellation ignored",
            "A cancelled caller gets an answer at once although all items are leased", inner => new WrongPool(inner)
            {
                OnRentAsync = (timeout, _) => inner.RentAsync(timeout, CancellationToken.None),
            });
        yield return Wrapper("a cancelled token gets an idle item",
            "A token cancelled before the call ends it although an item is idle", inner => new WrongPool(inner)
            {
                OnRentAsync = (timeout, token) => inner.TryRent(out var lease) ? new(lease) : inner.RentAsync(timeout, token),
            });
        yield return Wrapper("a token ends the lease of the caller that was served",
            "The token of a served rent does not affect later waiters", inner => new WrongPool(inner)
            {
                OnRentAsync = async (timeout, token) =>
                {
                    var lease = await inner.RentAsync(timeout, token);
                    token.Register(inner.Suspend);
                    return lease;
                },
            });
        yield return Wrapper("callers barge in",
            "Callers are served in the order of arrival, blocked and asynchronous ones alike", inner => new WrongPool(inner)
            {
                OnRentAsync = async (timeout, token) =>
                {
                    while (true)
                    {
                        if (inner.TryRent(out var lease))
                        {
                            return lease;
                        }

                        await Task.Yield();
                    }
                },
            });
        yield return Wrapper("each rent allocates", "Renting and returning an idle item allocates nothing", inner =>
            new WrongPool(inner)
            {
                OnRentAsync = (timeout, token) =>
                {
                    GC.KeepAlive(new object());
                    return inner.RentAsync(timeout, token);
                },
            });
        yield return Wrapper(
            "TryRent never rents", "Renting and returning an idle item allocates nothing",
            inner => new WrongPool(inner) { NeverTries = true }) with
        {
            Way = RentWay.TryFirst,
        };
        yield return Wrapper("leases are handed out twice", "An item has one owner at a time", inner =>
        {
            Lease<ContractItem> last = default;
            return new WrongPool(inner)
            {
                OnRentAsync = async (timeout, token) => last = last.IsActive ? last : await inner.RentAsync(timeout, token),
            };
        });
        yield return Wrapper(
            "items come tainted", "When no operation is in progress, every created item is idle, destroyed or detached", inner =>
            new WrongPool(inner)
            {
                OnRented = lease =>
                {
                    lease.Detach();
                    return lease;
                },
            });
        yield return Wrapper("the ExecutionContext flows into the pool",
            "The pool keeps no object of a caller's ExecutionContext alive", inner =>
        {
            var contexts = new System.Collections.Concurrent.ConcurrentBag<ExecutionContext?>();
            return new WrongPool(inner)
            {
                OnRented = lease =>
                {
                    contexts.Add(ExecutionContext.Capture());
                    return lease;
                },
            };
        });
        yield return Wrapper(
            "the youngest leases are listed first", Listed,
            inner => new WrongPool(inner) { OnGetLeases = max => [.. inner.GetLeases(max).Reverse()] });
        yield return Wrapper(
            "the youngest leases are listed only", Listed,
            inner => new WrongPool(inner) { OnGetLeases = max => [.. inner.GetLeases(int.MaxValue).TakeLast(max)] });
        yield return Wrapper(
            "all leases are listed, however many are requested", Listed,
            inner => new WrongPool(inner) { OnGetLeases = _ => inner.GetLeases(int.MaxValue) });
        yield return Wrapper("no leases are listed", Listed, inner => new WrongPool(inner) { OnGetLeases = _ => [] });
        yield return Wrapper(
            "leases are listed twice", Listed, inner => new WrongPool(inner)
            {
                OnGetLeases = max => [.. inner.GetLeases(max).SelectMany(lease => new[] { lease, lease }).Take(max)],
            });
        yield return Wrapper(
            "ended leases are listed at rest", Listed, inner => new WrongPool(inner) { OnGetLeases = WithEarlierLeases(inner) });
        yield return Wrapper(
            "ended leases are listed under load", ListedUnderLoad,
            inner => new WrongPool(inner) { OnGetLeases = WithEarlierLeases(inner) });
        yield return Wrapper("one lease too many is listed under load", ListedUnderLoad, inner => new WrongPool(inner)
        {
            OnGetLeases = max => inner.GetLeases(max) is [.., var last] leases ? [.. leases, last] : [],
        });
        yield return Wrapper(
            "leases of other pools are accepted", "A lease of another pool is rejected",
            inner => new WrongPool(inner) { OnInvalidate = _ => { } });
        yield return Wrapper(
            "a fatal error ages nothing", "Items older than a fatal error are not reused",
            inner => new WrongPool(inner) { OnInvalidate = _ => { } });
        yield return Wrapper(
            "a fatal error ages one item only", "After one report of a fatal error no stale item is rented",
            inner => new WrongPool(inner) { OnInvalidate = lease => lease.Taint() });
        yield return Wrapper(
            "no warm-up", "A warm-up ends when the requested number of items is alive",
            inner => new WrongPool(inner) { OnWarmUp = _ => Task.CompletedTask });
        yield return Wrapper(
            "half a warm-up", "A warm-up ends when the requested number of items is alive",
            inner => new WrongPool(inner) { OnWarmUp = count => inner.WarmUpAsync(count / 2) });
        yield return Wrapper(
            "the bound never changes", "A lower MaxSize is reached as items become idle, and leases continue",
            inner => new WrongPool(inner) { OnResize = _ => { } });
        yield return Wrapper(
            "the bound never grows", "Raising MaxSize serves waiters", inner => new WrongPool(inner) { OnResize = _ => { } });
        yield return Wrapper(
            "nothing is cleared", "After Clear no caller gets an item created with the old credentials",
            inner => new WrongPool(inner) { OnClear = () => { } });
        yield return Wrapper(
            "only idle items are cleared", "An item whose creation began before Clear is not rented after it",
            inner => new WrongPool(inner) { OnClear = () => inner.Trim() });
        yield return Wrapper(
            "nothing is trimmed", "Trim destroys idle items and keeps leased ones",
            inner => new WrongPool(inner) { OnTrim = () => 0 });
        yield return Wrapper("what is leased is trimmed", "Trim destroys idle items and keeps leased ones", inner =>
            new WrongPool(inner)
            {
                OnTrim = () =>
                {
                    inner.Clear();
                    return inner.Trim();
                },
            });
        yield return Wrapper(
            "a suspended pool rents", "A resumed pool serves all waiters",
            inner => new WrongPool(inner) { OnSuspend = () => { } });
        yield return Wrapper(
            "a suspended pool is never resumed", "A resumed pool serves all waiters",
            inner => new WrongPool(inner) { OnResume = () => { } });
        yield return Wrapper(
            "draining is disposal", "Draining serves waiters and rejects new callers",
            inner => new WrongPool(inner) { OnDrain = () => inner.DisposeAsync().AsTask() });
        yield return Wrapper(
            "nothing is drained", "Draining serves waiters and rejects new callers",
            inner => new WrongPool(inner) { OnDrain = () => Task.CompletedTask });
        yield return Wrapper(
            "nothing is disposed", "Disposal ends the waits and rejects new callers",
            inner => new WrongPool(inner) { OnDispose = () => default });
        yield return Wrapper("a second disposal throws", "A second disposal is harmless", inner =>
        {
            var disposals = 0;
            return new WrongPool(inner)
            {
                OnDispose = () => Interlocked.Increment(ref disposals) == 1
                    ? inner.DisposeAsync()
                    : throw new ObjectDisposedException("pool"),
            };
        });
    }

    /// <summary>A pool that never answers: the contract reports it and does not hang.</summary>
    public static IEnumerable<WrongVariant> Hangs()
    {
        yield return Hook("creations are lost", "The number of concurrent creations never exceeds MaxConcurrentCreates", inner =>
        {
            var creations = 0;
            return new WrongPolicy(inner)
            {
                OnCreate = async token => await inner.CreateAsync(token) is var item && Interlocked.Increment(ref creations) < 4
                    ? item
                    : await new TaskCompletionSource<ContractItem>().Task,
            };
        });
        yield return Hook("destructions are lost",
            "Each item is destroyed exactly once, whenever the clock jumps by an hour", inner => new WrongPolicy(inner)
            {
                OnDestroy = (_, _) => new(new TaskCompletionSource().Task),
            });
        yield return Wrapper("users are never served", "Bounds that change under load are reached", inner => new WrongPool(inner)
        {
            OnRentAsync = (_, _) => new(new TaskCompletionSource<Lease<ContractItem>>().Task),
        });
        yield return Wrapper("leases are lost", ListedUnderLoad, inner =>
        {
            var rents = 0;
            return new WrongPool(inner)
            {
                OnRentAsync = (timeout, token) => Interlocked.Increment(ref rents) < 10
                    ? inner.RentAsync(timeout, token)
                    : new(new TaskCompletionSource<Lease<ContractItem>>().Task),
            };
        });
        yield return Wrapper("a rent blocks", "An item has one owner at a time", inner => new WrongPool(inner)
        {
            OnRentAsync = (_, _) => throw Block(),
        });
        yield return Wrapper("statistics block", "A failed creation is retried, and callers wait through it", inner =>
            new WrongPool(inner)
            {
                OnGetStatistics = () => throw Block(),
            });
        yield return Wrapper(
            "a change of the bound blocks", "Bounds that change under load are reached",
            inner => new WrongPool(inner) { OnResize = _ => throw Block() });
        yield return Wrapper(
            "a clear blocks", "After Clear no caller gets an item created with the old credentials",
            inner => new WrongPool(inner) { OnClear = () => throw Block() });
        yield return Wrapper(
            "a resumption blocks", "A resumed pool serves all waiters",
            inner => new WrongPool(inner) { OnResume = () => throw Block() });
        yield return Wrapper(
            "a disposal blocks", "A lease outlives the disposal of the pool",
            inner => new WrongPool(inner) { OnDispose = () => throw Block() });
        yield return Wrapper(
            "a disposal never ends", "A second disposal is harmless",
            inner => new WrongPool(inner) { OnDispose = () => new(new TaskCompletionSource().Task) });
    }

    /// <summary>Blocks its thread until the end of the test.</summary>
    private static InvalidOperationException Block()
    {
        _end.Task.Wait();
        return new InvalidOperationException("The test is over.");
    }

    private static WrongVariant Setting(
        string bug, string check, Action<ResourcePoolOptions> change, bool forgetsTimeouts = false) => new(bug, check)
        {
            Options = change,
            Pool = forgetsTimeouts
            ? inner => new WrongPool(inner) { OnRentAsync = (_, token) => inner.RentAsync(timeout: null, token) }
            : null,
        };

    private static WrongVariant Hook(
        string bug, string check, Func<ResourcePolicy<ContractItem>, ResourcePolicy<ContractItem>> wrap) =>
        new(bug, check) { Policy = wrap };

    private static WrongVariant Wrapper(string bug, string check, Func<ContractPool, ContractPool> wrap) =>
        new(bug, check) { Pool = wrap };

    /// <summary>Lists every lease that was ever seen.</summary>
    private static Func<int, IReadOnlyList<LeaseSnapshot>> WithEarlierLeases(ContractPool inner)
    {
        var seen = new ConcurrentDictionary<long, LeaseSnapshot>();
        return max =>
        {
            foreach (var lease in inner.GetLeases(int.MaxValue))
            {
                seen[lease.ItemNumber] = lease;
            }

            return [.. seen.Values.OrderByDescending(lease => lease.LeasedFor).Take(max)];
        };
    }

    private static TimeSpan Half(TimeSpan time) => time == Timeout.InfiniteTimeSpan ? time : time / 2;

    private static async ValueTask<bool> SwallowAsync(Func<ValueTask<bool>> call)
    {
        try
        {
            return await call();
        }
        catch (InvalidOperationException)
        {
            // A policy may be slow: a check without waiting time would mistake the bug for a hook that hangs.
            for (var i = 0; i < 100; i++)
            {
                await Task.Yield();
            }

            return true;
        }
    }
}
