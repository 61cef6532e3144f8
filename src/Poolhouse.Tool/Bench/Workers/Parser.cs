namespace Poolhouse.Tool.Bench.Workers;

/// <summary>An object that takes 5 ms to create, belongs to the thread that created it, and is quick to use.</summary>
internal sealed class Parser
{
    private static readonly int _making = CpuWork.TurnsIn(TimeSpan.FromMilliseconds(5));
    private static readonly int _using = CpuWork.TurnsIn(TimeSpan.FromMicroseconds(50));

    private readonly int _thread = Environment.CurrentManagedThreadId;
    private readonly byte[] _tables = new byte[20_000];

    public Parser() => _tables[0] = (byte)CpuWork.Do(_making);

    /// <exception cref="InvalidOperationException">Another thread created it.</exception>
    public long Parse() => Environment.CurrentManagedThreadId == _thread
        ? (CpuWork.Do(_using) & 0) + 1
        : throw new InvalidOperationException("The parser belongs to another thread.");
}
