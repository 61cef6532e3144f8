using System.Net;

namespace Poolhouse.Http.Internal;

/// <summary>Looks up hosts and detects changed addresses.</summary>
// One look-up at a time: its owner begins the next only when this one has ended.
internal sealed class DnsWatch(ShardedHandlerOptions options)
{
    private readonly Dictionary<string, HashSet<IPAddress>> _known = new(StringComparer.OrdinalIgnoreCase);
    private readonly Func<string, CancellationToken, ValueTask<IReadOnlyCollection<IPAddress>>> _resolve =
        options.Resolve ?? ResolveAsync;
    private long _failures;

    public long Failures => Interlocked.Read(ref _failures);

    /// <summary>
    /// Whether any host has other addresses than before. The first answer for a host is no change. After a cancellation, no
    /// further host is looked up.
    /// </summary>
    public async Task<bool> HasChangedAsync(CancellationToken cancellationToken)
    {
        var changed = false;
        foreach (var host in options.WatchedHosts)
        {
            if (cancellationToken.IsCancellationRequested)
            {
                break;
            }

            changed |= await HasChangedAsync(host, cancellationToken).ConfigureAwait(false);
        }

        return changed;
    }

    private static async ValueTask<IReadOnlyCollection<IPAddress>> ResolveAsync(
        string host, CancellationToken cancellationToken) =>
        await Dns.GetHostAddressesAsync(host, cancellationToken).ConfigureAwait(false);

    private async Task<IReadOnlyCollection<IPAddress>> LookUpAsync(string host, CancellationToken cancellationToken)
    {
        var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task<IReadOnlyCollection<IPAddress>>? lookUp = null;
        try
        {
            lookUp = _resolve(host, ending.Token).AsTask();
            var answer = await lookUp.WaitAsync(options.ResolveInterval, options.TimeProvider, cancellationToken)
                .ConfigureAwait(false);
            ending.Dispose();
            return answer;
        }
        catch
        {
            // Abandoned at the deadline, because it may ignore its token. When it fails later, there is no waiter.
            _ = lookUp?.ContinueWith(
                static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted,
                TaskScheduler.Default);
#pragma warning disable CA2025 // The task disposes it.
            _ = DetachedCancellation.CancelAndDisposeAsync(ending);
#pragma warning restore CA2025
            throw;
        }
    }

    private async Task<bool> HasChangedAsync(string host, CancellationToken cancellationToken)
    {
        try
        {
            var answer = await LookUpAsync(host, cancellationToken).ConfigureAwait(false);
            if (answer is { Count: > 0 })
            {
                var before = _known.GetValueOrDefault(host);
                _known[host] = [.. answer];
                return before is not null && !before.SetEquals(answer);
            }
        }
#pragma warning disable CA1031 // Whatever it is: the addresses that are known stay.
        catch (Exception)
#pragma warning restore CA1031
        {
        }

        Interlocked.Increment(ref _failures);
        return false;
    }
}
