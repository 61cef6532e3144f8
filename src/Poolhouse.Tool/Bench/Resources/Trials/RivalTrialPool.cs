using Poolhouse.Tool.Bench.Rivals;

namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>A rival.</summary>
internal sealed class RivalTrialPool(IRivalPool<Session> pool) : TrialPool
{
    public static RivalItems<Session> ItemsOf(Backend backend, PoolSettings settings, TimeProvider time) => new(
        backend.OpenAsync,
        session => !session.IsBroken
            && (settings.MaxLifetime == Timeout.InfiniteTimeSpan
                || time.GetElapsedTime(session.OpenedAt) < settings.MaxLifetime),
        session => session.Dispose());

    public override async Task UseAsync(Func<Session, Task> use, TimeSpan patience, CancellationToken cancellation)
    {
        var session = await pool.RentAsync(patience, cancellation).ConfigureAwait(false);
        try
        {
            await use(session).ConfigureAwait(false);
        }
        finally
        {
            pool.Return(session);
        }
    }

    public override ValueTask DisposeAsync()
    {
        (pool as IDisposable)?.Dispose();
        return default;
    }
}
