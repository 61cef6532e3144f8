using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>Creates slots for uses in the background after a caller that does not wait found none.</summary>
// A pool refills its minimum of idle slots when it is swept, but until then such callers would fail although items have room.
internal sealed class SharedUsesAhead<T>(ResourcePool<SharedUse<T>> uses)
    where T : notnull
{
    private int _isAdding;

    /// <summary>Doubles the number of slots, up to their limit, if callers find none.</summary>
    public void Add()
    {
        var readings = uses.Runtime.Core.Readings;
        var (count, limit) = (readings.Ready, uses.Runtime.Settings.MaxSize);
        if (count < limit && readings.LacksIdle && Interlocked.Exchange(ref _isAdding, 1) == 0)
        {
            _ = AddAsync(Math.Min(limit, 2 * Math.Max(count, SharedPoolParts.IdleUses)));
        }
    }

    private async Task AddAsync(int count)
    {
        try
        {
            await uses.WarmUpAsync(count).ConfigureAwait(false);
        }
        catch (Exception failure)
            when (failure is ObjectDisposedException or ArgumentOutOfRangeException || WorkScheduler.IsLackOfMemory(failure))
        {
            // Closed or made smaller meanwhile, or for lack of memory: the next caller that finds no slot tries again.
        }
        finally
        {
            Volatile.Write(ref _isAdding, 0);
        }
    }
}
