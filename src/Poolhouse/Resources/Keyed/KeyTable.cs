using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Resources.Keyed;

/// <summary>
/// The parts of a pool by key. The user's comparer and the key's own members run on callers' threads only, under no lock (I25).
/// </summary>
// Each part is stored under a tag that records the hash code of its key, and tags are compared by reference. So a comparer that
// throws, blocks or calls the pool, or a key that is mutated while it is stored, never prevents a part from being removed.
// Only the lookup by key compares keys; it takes no lock.
// Locks: parts are added under the gate of the derived type; see AddLocked for why two threads do not add one key twice.
internal abstract class KeyTable<TKey, TPart>
    where TKey : notnull
    where TPart : class
{
    private readonly IEqualityComparer<TKey> _keys;
    private readonly ConcurrentDictionary<Tag, TPart> _parts;
    private readonly ConcurrentDictionary<Tag, TPart>.AlternateLookup<TKey> _byKey;
    private long _version;

    protected KeyTable(IEqualityComparer<TKey>? comparer)
    {
        _keys = comparer ?? EqualityComparer<TKey>.Default;
        _parts = new ConcurrentDictionary<Tag, TPart>(new TagComparer(_keys));
        _byKey = _parts.GetAlternateLookup<TKey>();
    }

    public int Count => _parts.Count;

    public ICollection<TPart> Values => _parts.Values;

    /// <summary>Changes whenever a part is added.</summary>
    protected long Version => Volatile.Read(ref _version);

    public bool TryGetValue(TKey key, [NotNullWhen(true)] out TPart? part)
    {
#pragma warning disable CA1510 // ThrowIfNull takes an object: a key that is a struct would be boxed for each request until the code is optimized.
        if (key is null)
        {
            throw new ArgumentNullException(nameof(key));
        }
#pragma warning restore CA1510

        return _byKey.TryGetValue(key, out part);
    }

    /// <summary>Creates the tag under which to store a part of this key; call it once per part.</summary>
    protected Tag NewTag(TKey key) => new(key, _keys.GetHashCode(key));

    /// <summary>
    /// Adds a part for a key that was looked up without a match after the current <see cref="Version"/> was read. Called under
    /// the gate of the derived type.
    /// </summary>
    protected void AddLocked(Tag tag, TPart part)
    {
        try
        {
            _parts[tag] = part;
        }
        finally
        {
            // After the part: a thread that reads this version finds the part. Also after a failure, because the part is in the
            // table if only the memory to enlarge the table was missing.
            Volatile.Write(ref _version, _version + 1);
        }
    }

    protected bool Contains(Tag tag) => _parts.ContainsKey(tag);

    protected void Remove(Tag tag) => _parts.TryRemove(tag, out _);

    /// <summary>A key as it was when its part was added.</summary>
    internal sealed class Tag(TKey key, int hash)
    {
        public TKey Key { get; } = key;

        public int Hash { get; } = hash;
    }

    private sealed class TagComparer(IEqualityComparer<TKey> keys) : IEqualityComparer<Tag>, IAlternateEqualityComparer<TKey, Tag>
    {
        public bool Equals(Tag? x, Tag? y) => ReferenceEquals(x, y);

        public int GetHashCode(Tag obj) => obj.Hash;

        public bool Equals(TKey alternate, Tag other) => keys.Equals(alternate, other.Key);

        public int GetHashCode(TKey alternate) => keys.GetHashCode(alternate);

        public Tag Create(TKey alternate) => new(alternate, keys.GetHashCode(alternate));
    }
}
