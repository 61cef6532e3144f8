namespace Poolhouse.Stress;

/// <summary>An item that records its owner, and fails when it has two.</summary>
internal sealed class Stamped : IDisposable
{
    private const int Free = 0;
    private const int Owned = 1;
    private const int Dead = 2;

    private static int _alive;

    private int _state;

    public Stamped() => Interlocked.Increment(ref _alive);

    public static int Alive => Volatile.Read(ref _alive);

    /// <summary>Called by the thread that rented it.</summary>
    public void Take() => Move(Free, Owned);

    /// <summary>Called by the thread that is about to return it.</summary>
    public void Release() => Move(Owned, Free);

    public void Dispose()
    {
        Move(Free, Dead);
        Interlocked.Decrement(ref _alive);
    }

    private void Move(int from, int to)
    {
        var seen = Interlocked.CompareExchange(ref _state, to, from);
        if (seen != from)
        {
            throw new InvalidOperationException($"An item that should be {Show(from)} is {Show(seen)}: it has two owners.");
        }
    }

    private static string Show(int state) => state switch
    {
        Free => "free",
        Owned => "owned",
        _ => "disposed",
    };
}
