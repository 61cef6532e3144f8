using System.Collections.Concurrent;

namespace Poolhouse.Testing;

/// <summary>Records rents and lives of items for <see cref="HistoryChecker"/>.</summary>
/// <remarks>
/// <para>
/// Thread safe; call <see cref="FindViolations"/> after all callers have finished. A stamp costs one interlocked increment that
/// all threads share. Keeps every item and every rent in memory.
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
/// <para>
/// Call <see cref="Created"/> and <see cref="Destroying"/> in the policy. For a keyed pool, use one recorder per key: the callers
/// of each key have a queue of their own, and a common history would show callers that overtake others.
/// </para>
/// </remarks>
public sealed class HistoryRecorder
{
    private readonly ConcurrentQueue<HistoryTicket> _tickets = new();
    private readonly ConcurrentDictionary<object, long> _created = new(ReferenceEqualityComparer.Instance);
    private readonly ConcurrentDictionary<object, long> _destroying = new(ReferenceEqualityComparer.Instance);
    private readonly ConcurrentQueue<string> _oddities = new();
    private long _stamp;

    /// <summary>Call it just before a rent.</summary>
    /// <returns>The ticket that records the progress of the rent.</returns>
    public HistoryTicket Call()
    {
        var ticket = new HistoryTicket(this);
        _tickets.Enqueue(ticket);
        return ticket;
    }

    /// <summary>Call it when a policy has created an item, before the pool gets it.</summary>
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
    /// <returns>A copy, in the approximate order of the calls.</returns>
    public IReadOnlyCollection<HistoryRent> GetRents() => [.. _tickets.Select(ticket => ticket.ToRent()).OfType<HistoryRent>()];

    /// <summary>The lives of the items so far.</summary>
    /// <returns>A copy, in no particular order.</returns>
    public IReadOnlyCollection<HistoryLife> GetLives() =>
        [.. _created.Select(
            life => new HistoryLife(life.Key, life.Value, _destroying.TryGetValue(life.Key, out var end) ? end : null))];

    /// <summary>Checks the whole history with <see cref="HistoryChecker"/>.</summary>
    /// <param name="maxLive">The maximum number of live items: the highest limit that the pool had.</param>
    /// <returns>A sentence for each kind of violation found; empty if there is none.</returns>
    public IReadOnlyList<string> FindViolations(int maxLive) =>
        [.. HistoryChecker.FindViolations(GetRents(), GetLives(), maxLive), .. _oddities.Distinct(StringComparer.Ordinal)];

    internal long NextStamp() => Interlocked.Increment(ref _stamp);
}
