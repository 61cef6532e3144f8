using Poolhouse.Kernel.Threading;

namespace Poolhouse.Workers.Queueing;

/// <summary>The strands of a lane, by key.</summary>
// The user's GetHashCode and Equals run only on the thread that queues an item, under no lock, and before anything has changed: a
// strand stores its hash code, and is removed by reference. So a key that throws, blocks, or has changed meanwhile affects only
// its own caller.
// Locks: one of its own; no other lock is taken under it.
internal sealed class StrandTable
{
    private readonly Gate _gate = new();

    // The strands with the same hash code. Arrays are never modified, so that they can be searched outside the lock.
    private readonly Dictionary<int, KeyStrand[]> _strands = [];

    public KeyStrand GetOrAdd(object key)
    {
        var hashCode = key.GetHashCode();
        var known = Find(hashCode);
        while (true)
        {
            foreach (var strand in known)
            {
                if (ReferenceEquals(strand.Key, key) || strand.Key.Equals(key))
                {
                    return strand;
                }
            }

            using (_gate.Enter())
            {
                var now = FindLocked(hashCode);
                if (now == known)
                {
                    var added = new KeyStrand(key, hashCode);
                    _strands[hashCode] = [.. known, added];
                    return added;
                }

                known = now;
            }
        }
    }

    public void Remove(KeyStrand strand)
    {
        using (_gate.Enter())
        {
            var left = Array.FindAll(FindLocked(strand.HashCode), other => other != strand);
            if (left.Length == 0)
            {
                _strands.Remove(strand.HashCode);
            }
            else
            {
                _strands[strand.HashCode] = left;
            }
        }
    }

    public List<KeyStrand> ToList()
    {
        using (_gate.Enter())
        {
            return [.. _strands.Values.SelectMany(static strands => strands)];
        }
    }

    private KeyStrand[] Find(int hashCode)
    {
        using (_gate.Enter())
        {
            return FindLocked(hashCode);
        }
    }

    private KeyStrand[] FindLocked(int hashCode) => _strands.TryGetValue(hashCode, out var strands) ? strands : [];
}
