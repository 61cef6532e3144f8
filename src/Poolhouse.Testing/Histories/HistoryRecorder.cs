using System.Collections.Concurrent;

namespace Poolhouse.Testing;

/// <summary>Records who rented what and when, for <see cref="HistoryChecker"/>.</summary>
/// <remarks>
/// <para>
/// Thread safe; <see cref="FindViolations"/> wants everybody to have finished. A stamp costs one interlocked increment that all threads
/// share. Keeps every item and every rent in memory.
/// </para>
/// <code>
/// var ticket = recorder.Call();
/// var renting = pool.RentAsync();
/// if (!renting.IsCompleted) ticket.Queued();
/// using var lease = await renting;
/// ticket.Rented(lease.Value);
/// …
/// ticket.Ending();
/// </code>
/// <para>Call <see cref="Created"/> and <see cref="Destroying"/> in the policy.</para>
/// </remarks>
public sealed class HistoryRecorder
{
    private readonly ConcurrentQueue<HistoryTicket> _tickets = new();
    private readonly ConcurrentDictionary<object, long> _created = new(ReferenceEqualityComparer.Instance);
    private readonly ConcurrentDictionary<object, long> _destroying = new(ReferenceEqualityComparer.Instance);
    private readonly ConcurrentQueue<string> _oddities = new();
    private long _stamp;

    /// <summary>Call it just before a rent.</summary>
    /// <returns>What is to be told how the rent goes on.</returns>
    public HistoryTicket Call()
    {
        var ticket = new HistoryTicket(this);
        _tickets.Enqueue(ticket);
        return ticket;
    }

    /// <summary>Call it when a policy has made an item, before the pool gets it.</summary>
    /// <param name="item">The item.</param>
    public void Created(object item)
    {
        if (!_created.TryAdd(item, NextStamp()))
        {
            _oddities.Enqueue("An item was created twice.");
        }
    }

    /// <summary>Call it when the destruction of an item begins.</summary>
    /// <param name="item">The item.</param>
    public void Destroying(object item)
    {
        if (!_destroying.TryAdd(item, NextStamp()))
        {
            _oddities.Enqueue("An item was destroyed twice, or destroyed although it was detached.");
        }
    }

    /// <summary>The rents that got an item so far.</summary>
    /// <returns>A copy, in the order of the calls as far as threads agree on it.</returns>
    public IReadOnlyCollection<HistoryRent> GetRents() => [.. _tickets.Select(ticket => ticket.ToRent()).OfType<HistoryRent>()];

    /// <summary>The lives of the items so far.</summary>
    /// <returns>A copy, in no particular order.</returns>
    public IReadOnlyCollection<HistoryLife> GetLives() =>
        [.. _created.Select(life => new HistoryLife(life.Key, life.Value, _destroying.TryGetValue(life.Key, out var end) ? end : null))];

    /// <summary>Checks the whole history with <see cref="HistoryChecker"/>.</summary>
    /// <param name="maxLive">How many items may be alive at once: the highest bound that the pool had.</param>
    /// <returns>A sentence for each kind of violation found; empty if the history is fine.</returns>
    public IReadOnlyList<string> FindViolations(int maxLive) =>
        [.. HistoryChecker.FindViolations(GetRents(), GetLives(), maxLive), .. _oddities.Distinct(StringComparer.Ordinal)];

    internal long NextStamp() => Interlocked.Increment(ref _stamp);
}
