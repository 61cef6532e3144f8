using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <content>How the shard for a request is selected.</content>
public sealed partial class ShardedHandler
{
    private Shard Begin(HttpRequestMessage request)
    {
        while (true)
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _closed), this);
            var shard = Volatile.Read(ref _shards[Choose(request)]);
            if (shard.TryBegin())
            {
                shard.CountRequest();
                return shard;
            }
        }
    }

    private int Choose(HttpRequestMessage request) =>
        _options.KeyOf?.Invoke(request) is { } key
            ? (int)((uint)string.GetHashCode(key, StringComparison.Ordinal) % (uint)_shards.Length)
        : _options.Selection switch
        {
            SelectionStrategy.RoundRobin => NextTurn(),
            SelectionStrategy.PowerOfTwoChoices => BetterOfTwo(),
            _ => LeastOutstanding(),
        };

    private int NextTurn() => (int)(Interlocked.Increment(ref _turn) % (uint)_shards.Length);

    private int BetterOfTwo()
    {
        if (_shards.Length == 1)
        {
            return 0;
        }

        var first = _options.Random.Next(_shards.Length);
        var second = (first + 1 + _options.Random.Next(_shards.Length - 1)) % _shards.Length;
        return Volatile.Read(ref _shards[first]).Outstanding <= Volatile.Read(ref _shards[second]).Outstanding ? first : second;
    }

    private int LeastOutstanding()
    {
        // Starts at another shard each time, so that ties are broken in turn.
        var slot = NextTurn();
        var least = slot;
        var fewest = int.MaxValue;
        for (var i = 0; i < _shards.Length && fewest > 0; i++)
        {
            var outstanding = Volatile.Read(ref _shards[slot]).Outstanding;
            if (outstanding < fewest)
            {
                (least, fewest) = (slot, outstanding);
            }

            slot = slot + 1 == _shards.Length ? 0 : slot + 1;
        }

        return least;
    }
}
