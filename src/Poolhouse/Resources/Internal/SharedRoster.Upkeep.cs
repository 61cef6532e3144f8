using Poolhouse.Internal;

namespace Poolhouse.Resources;

/// <content>What happens with time: items that are old, unused or silent are replaced.</content>
internal sealed partial class SharedRoster<T>
{
    /// <summary>Fewer than so many are at work only while the next one is being made, or cannot be.</summary>
    public void KeepMinimum()
    {
        if (Members.Count < _options.Items.MinIdle)
        {
            StartGrowing();
        }
    }

    /// <summary>A tick of the timer.</summary>
    private void Look()
    {
        var now = _clock.Now;
        foreach (var member in Volatile.Read(ref _members))
        {
            if (member.IsExpired(now))
            {
                MayGoOn(member);
            }
            else if (_careTicks != PoolClock.Never && now - member.CaredForAt >= _careTicks)
            {
                StartProbe(member);
            }
        }

        RetireUnused(now);
        KeepMinimum();
    }

    private void RetireUnused(long now)
    {
        var surplus = Members.Count - _options.Items.MinIdle;
        if (_idleTicks != PoolClock.Never && surplus > 0)
        {
            RetireAll(member => member.Uses == 0 && now - member.UsedAt >= _idleTicks && surplus-- > 0);
        }
    }

    private void StartProbe(SharedMember<T> member)
    {
        if (_caresFor && member.TryBeginProbe())
        {
            _ = CallersContext.Leave((this, member), static probe => probe.Item1.ProbeAsync(probe.member));
        }
    }

    private async Task ProbeAsync(SharedMember<T> member)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
#pragma warning disable CA1031 // Whatever it is, the item does not work.
        try
        {
            using var deadline = new CancellationTokenSource(_options.Items.ValidateTimeout, _options.Items.TimeProvider);
            await _policy.KeepAliveAsync(member.Item, deadline.Token).AsTask().WaitAsync(deadline.Token).ConfigureAwait(false);
            member.CaredForAt = _clock.Now;
        }
        catch (Exception)
        {
            Retire(member, DestroyReason.KeepAliveFailed);
        }
        finally
        {
            member.EndProbe();
        }
#pragma warning restore CA1031
    }
}
