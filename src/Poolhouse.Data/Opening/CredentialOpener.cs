using System.Data.Common;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Data.Opening;

/// <summary>Requests a credential before each open, and detects changes.</summary>
// Invariants
//   _current is the data source of the newest credential: the one whose call of the callback began last. Opens that began with
//   an older one finish there; one whose call began earlier and returned later uses the newest
//   the pool replaces the open connections whose identity is replaced. An open that is in progress then, including the one
//   that detected the change, serves its caller: if each call of the callback returned another credential, and the opens in
//   progress were discarded, none would ever succeed. One that was replaced meanwhile has expired after the spread.
//   a data source is disposed once it is neither current nor used by an open: connections that are open outlive it
// Locks: _gate, for those fields only; no other code runs under it
internal sealed class CredentialOpener(
    DbPoolOptions options, Func<DbCredential, DbDataSource> createSource, DbDataSource sample) : IConnectionOpener
{
    private readonly Func<CancellationToken, ValueTask<DbCredential>> _ask = options.Credentials!;
    private readonly TimeProvider _time = options.Pool.TimeProvider;
    private readonly Gate _gate = new();
    private Source? _current;
    private long _calls;
    private bool _released;

    public Action OnRotated { private get; set; } = static () => { };

    public DbPoolOptions Options { private get; set; } = options;

    public bool IsReplaced(object? origin) => ((Identity)origin!).IsReplaced;

    public bool IsExpired(object? origin) =>
        ((Identity)origin!).HasBeenReplacedFor(Options.CredentialSpread, _time);

    public async ValueTask<OpenedConnection> OpenAsync(CancellationToken cancellationToken)
    {
        var (call, credential) = await GetCredentialAsync(cancellationToken).ConfigureAwait(false);
        var source = Enter(call, credential);
        try
        {
            var opened = await OpenedConnection.FromAsync(source.Inner, cancellationToken).ConfigureAwait(false);
            return opened with { Origin = source.Identity };
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
            return OpenedConnection.From(source.Inner) with { Origin = source.Identity };
        }
        finally
        {
            Leave(source);
        }
    }

    // The source of a new credential loads the types with its first connection.
    public object? TypesOf(object? origin) => TypeReload.KeeperOf(sample);

    public void Release()
    {
        Source? unused;
        using (_gate.Enter())
        {
            _released = true;
            unused = _current is { Opens: 0 } ? _current : null;
        }

        unused?.Inner.Dispose();
        sample.Dispose();
    }

    // Numbered before the callback runs: if calls overlap, their results may come in another order.
    private async ValueTask<(long Call, DbCredential Credential)> GetCredentialAsync(CancellationToken cancellationToken)
    {
        var call = Interlocked.Increment(ref _calls);
        var credential = await _ask(cancellationToken).ConfigureAwait(false)
            ?? throw new InvalidOperationException("DbPoolOptions.Credentials returned null; allowed: a DbCredential.");
        return (call, credential);
    }

    /// <summary>Enters the data source of the credential, or of a newer one that a later call has returned.</summary>
    /// <param name="call">The number of the call that returned the credential.</param>
    /// <param name="credential">The credential.</param>
    private Source Enter(long call, DbCredential credential)
    {
        DbDataSource? unused = null;
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
        var inner = createSource(credential);
        var now = _time.GetTimestamp();
        using (_gate.Enter())
        {
            if (TryEnterCurrentLocked(call, credential) is { } current)
            {
                (entered, unused) = (current, inner);
            }
            else
            {
                rotated = _current is { } old && !IsSame(old.Credential, credential);
                if (rotated)
                {
                    _current!.Identity.Replace(now);
                }

                unused = _current is { Opens: 0 } ? _current.Inner : null;
                entered = new Source(credential, inner, rotated || _current is null ? new Identity() : _current.Identity)
                {
                    LastCall = call,
                    Opens = 1,
                };
                _current = entered;
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
            source.Inner.Dispose();
        }
    }

    private static bool IsSame(DbCredential one, DbCredential other) =>
        one.Identity is null && other.Identity is null
            ? one == other
            : string.Equals(one.Identity, other.Identity, StringComparison.Ordinal);

    private sealed class Source(DbCredential credential, DbDataSource inner, Identity identity)
    {
        public Identity Identity { get; } = identity;

        public DbCredential Credential { get; } = credential;

        public DbDataSource Inner { get; } = inner;

        /// <summary>The number of the last call that returned the credential.</summary>
        public long LastCall { get; set; }

        public int Opens { get; set; }
    }

    /// <summary>Credentials that count as the same: the origin of the connections that were opened with them.</summary>
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
