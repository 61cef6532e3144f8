using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>
/// One direction of a <see cref="FaultProxy"/>, for all its connections: the toxics through which bytes pass, in order.
/// </summary>
/// <remarks>Thread safe. A change takes effect at once, also for existing connections.</remarks>
public sealed class FaultDirection
{
    private readonly Lock _gate = new();
    private readonly Action _halfCloseAll;
    private volatile ToxicEntry[] _entries = [];
    private long _arrived;
    private long _passed;

    internal FaultDirection(Action halfCloseAll) => _halfCloseAll = halfCloseAll;

    /// <summary>The toxics, in the order in which bytes pass through them, which is the order of their addition.</summary>
    public IReadOnlyList<Toxic> Toxics => [.. _entries.Select(entry => entry.Toxic)];

    /// <summary>The number of bytes that have reached the proxy in this direction so far, on all connections.</summary>
    /// <remarks>
    /// Toxics measure time from the arrival of data. A test with a manual clock must advance it after the data has arrived. The
    /// proxy reads at most one mebibyte more than it could pass on.
    /// </remarks>
    public long ArrivedBytes => Interlocked.Read(ref _arrived);

    /// <summary>The number of bytes forwarded in this direction so far, on all connections.</summary>
    public long PassedBytes => Interlocked.Read(ref _passed);

    internal ToxicEntry[] Entries => _entries;

    /// <summary>Adds a toxic after the existing ones.</summary>
    /// <typeparam name="TToxic">The kind of toxic.</typeparam>
    /// <param name="toxic">The toxic.</param>
    /// <returns>The same toxic, which can be changed or removed later.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="toxic"/> is null.</exception>
    public TToxic Add<TToxic>(TToxic toxic)
        where TToxic : Toxic
    {
        ArgumentNullException.ThrowIfNull(toxic);
        lock (_gate)
        {
            _entries = [.. _entries, new ToxicEntry(toxic)];
        }

        return toxic;
    }

    /// <summary>Removes a toxic. Data that it delays is forwarded at once.</summary>
    /// <param name="toxic">The toxic; if it was added more than once, the first is removed.</param>
    /// <returns>True if the toxic was present.</returns>
    public bool Remove(Toxic toxic)
    {
        ToxicEntry? removed;
        lock (_gate)
        {
            removed = Array.Find(_entries, entry => entry.Toxic == toxic);
            _entries = [.. _entries.Where(entry => entry != removed)];
        }

        // Not under the gate: waiting code may continue here.
        removed?.Remove();
        return removed is not null;
    }

    /// <summary>Removes every toxic. Data that they delay is forwarded at once.</summary>
    public void Clear()
    {
        ToxicEntry[] removed;
        lock (_gate)
        {
            (removed, _entries) = (_entries, []);
        }

        foreach (var entry in removed)
        {
            entry.Remove();
        }
    }

    /// <summary>Ends this direction of every open connection (FIN). The other direction continues.</summary>
    /// <remarks>Later data in this direction is dropped.</remarks>
    public void HalfCloseAll() => _halfCloseAll();

    internal void CountArrived(int bytes) => Interlocked.Add(ref _arrived, bytes);

    internal void CountPassed(int bytes) => Interlocked.Add(ref _passed, bytes);
}
