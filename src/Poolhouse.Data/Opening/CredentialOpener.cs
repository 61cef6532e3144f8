using System.Data.Common;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Data.Opening;

/// <summary>Requests a credential before each open, and detects changes.</summary>
/// <param name="options">The settings of the pool.</param>
/// <param name="inner">Opens the connections, with the credential's data source in place of its own for each host.</param>
/// <param name="createSources">Creates the data sources of a credential, by those that they replace.</param>
// Invariants
//   _current is the data source of the newest credential: the one whose call of the callback began last. Opens that began with
//   an older one finish there; one whose call began earlier and returned later uses the newest
//   the pool replaces the open connections whose identity is replaced. An open that is in progress then, including the one
//   that detected the change, serves its caller: if each call of the callback returned another credential, and the opens in
//   progress were discarded, none would ever succeed. One that was replaced meanwhile has expired after the spread.
//   data sources are disposed once they are neither current nor used by an open: connections that are open outlive them
// Locks: _gate, for those fields only; no other code runs under it
internal sealed class CredentialOpener(
    DbPoolOptions options, IHostOpener inner, Func<DbCredential, Dictionary<DbDataSource, DbDataSource>> createSources)
    : IConnectionOpener
{
    private readonly Func<CancellationToken, ValueTask<DbCredential>> _ask = options.Credentials!;
    private readonly TimeProvider _time = options.Pool.TimeProvider;
    private readonly Gate _gate = new();
    private Source? _current;
    private long _calls;
    private bool _released;

    public Action OnRotated { private get; set; } = static () => { };

    public DbPoolOptions Options
    {
        private get;
        set => inner.Options = field = value;
    } = options;

    public bool IsReplaced(object? origin) => Of(origin).Identity.IsReplaced;

    public bool IsExpired(object? origin) =>
        Of(origin).Identity.HasBeenReplacedFor(Options.CredentialSpread, _time) || inner.IsExpired(Of(origin).Host);

    public async ValueTask<OpenedConnection> OpenAsync(CancellationToken cancellationToken)
    {
        var (call, credential) = await GetCredentialAsync(cancellationToken).ConfigureAwait(false);
        var source = Enter(call, credential);
        try
        {
            return source.Adopt(await inner.OpenAsync(source.For, cancellationToken).ConfigureAwait(false));
        }
        finally
        {
            Leave(source);
        }
    }

    public OpenedConnection Open(CancellationToken cancellationToken)
    {
#pragma warning disable VSTHRD002, CA2012 // On a dedicated thread of the pool, created for this one creation.
        var (call, credential) = GetCredentialAsync(cancellationToken).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, CA2012
        var source = Enter(call, credential);
        try
        {
            return source.Adopt(inner.Open(source.For, cancellationToken));
        }
        finally
        {
            Leave(source);
        }
    }

    // The source of a new credential loads the types with its first connection.
    public object? TypesOf(object? origin) => inner.TypesOf(Of(origin).Host);

    public object? HostOf(object? origin) => inner.HostOf(Of(origin).Host);

    public IReadOnlyList<ServerStatistics<string>> GetHosts() => inner.GetHosts();

    public void OnClosed(object? origin) => inner.OnClosed(Of(origin).Host);

    public void OnFatalError(object? origin, Exception exception) => inner.OnFatalError(Of(origin).Host, exception);

    public void OnRoleLost(object? origin) => inner.OnRoleLost(Of(origin).Host);

    public void Release()
    {
        Source? unused;
        using (_gate.Enter())
        {
            _released = true;
            unused = _current is { Opens: 0 } ? _current : null;
        }

        unused?.Dispose();
        inner.Release();
    }

    // Numbered before the callback runs: if calls overlap, their results may come in another order.
    private async ValueTask<(long Call, DbCredential Credential)> GetCredentialAsync(CancellationToken cancellationToken)
    {
        var call = Interlocked.Increment(ref _calls);
        var credential = await _ask(cancellationToken).ConfigureAwait(false)
            ?? throw new InvalidOperationException("DbPoolOptions.Credentials returned null; allowed: a DbCredential.");
        return (call, credential);
    }

    private static Origin Of(object? origin) => (Origin)origin!;

    /// <summary>Enters the data sources of the credential, or of a newer one that a later call has returned.</summary>
    /// <param name="call">The number of the call that returned the credential.</param>
    /// <param name="credential">The credential.</param>
    private Source Enter(long call, DbCredential credential)
    {
        Source? unused;
        Source entered;
        var rotated = false;
        using (_gate.Enter())
        {
            if (TryEnterCurrentLocked(call, credential) is { } current)
            {
                return current;
            }
        }

        // Creating a data source runs the provider's code: outside the lock, even if two callers then create one each.
        var created = new Source(credential, createSources(credential)) { LastCall = call, Opens = 1 };
        var now = _time.GetTimestamp();
        using (_gate.Enter())
        {
            if (TryEnterCurrentLocked(call, credential) is { } current)
            {
                (entered, unused) = (current, created);
            }
            else
            {
                rotated = _current is { } old && !IsSame(old.Credential, credential);
                if (rotated)
                {
                    _current!.Identity.Replace(now);
                }

                created.Identity = rotated || _current is null ? created.Identity : _current.Identity;
                unused = _current is { Opens: 0 } ? _current : null;
                entered = _current = created;
            }
        }

        unused?.Dispose();
        if (rotated)
        {
            OnRotated();
        }

        return entered;
    }

    private Source? TryEnterCurrentLocked(long call, DbCredential credential)
    {
        if (_current is not { } current || (call > current.LastCall && current.Credential != credential))
        {
            return null;
        }

        current.LastCall = Math.Max(call, current.LastCall);
        current.Opens++;
        return current;
    }

    private void Leave(Source source)
    {
        bool unused;
        using (_gate.Enter())
        {
            source.Opens--;
            unused = source.Opens == 0 && (_released || source != _current);
        }

        if (unused)
        {
            source.Dispose();
        }
    }

    private static bool IsSame(DbCredential one, DbCredential other) =>
        one.Identity is null && other.Identity is null
            ? one == other
            : string.Equals(one.Identity, other.Identity, StringComparison.Ordinal);

    /// <summary>The data sources of a credential.</summary>
    private sealed class Source(DbCredential credential, Dictionary<DbDataSource, DbDataSource> sources) : IDisposable
    {
        public Identity Identity { get; set; } = new();

        public DbCredential Credential { get; } = credential;

        /// <summary>The number of the last call that returned the credential.</summary>
        public long LastCall { get; set; }

        public int Opens { get; set; }

        /// <summary>The data source for a host. One that an application has added has its own credential.</summary>
        public DbDataSource For(DbDataSource host) => sources.GetValueOrDefault(host, host);

        public OpenedConnection Adopt(OpenedConnection opened) => opened with { Origin = new Origin(Identity, opened.Origin) };

        public void Dispose()
        {
            foreach (var source in sources.Values)
            {
                source.Dispose();
            }
        }
    }

    /// <param name="Identity">The credential.</param>
    /// <param name="Host">The origin that the inner opener knows.</param>
    private sealed record Origin(Identity Identity, object? Host);

    /// <summary>Credentials that count as the same.</summary>
    private sealed class Identity
    {
        // Written before the flag, which is volatile: a thread that sees the flag also sees the time.
        private long _replacedAt;
        private volatile bool _isReplaced;

        public bool IsReplaced => _isReplaced;

        public bool HasBeenReplacedFor(TimeSpan span, TimeProvider time) =>
            _isReplaced && time.GetElapsedTime(_replacedAt) >= span;

        /// <summary>Called once.</summary>
        public void Replace(long now)
        {
            _replacedAt = now;
            _isReplaced = true;
        }
    }
}
