namespace Poolhouse.Samples.WebBench;

/// <summary>The queries of the four tests, by one way to get a connection.</summary>
internal interface IWorldStore : IAsyncDisposable
{
    /// <summary>One row.</summary>
    Task<World> ReadAsync(CancellationToken cancellationToken);

    /// <summary>So many rows, one query each, on one connection.</summary>
    Task<World[]> ReadAsync(int count, CancellationToken cancellationToken);

    Task<List<Fortune>> ReadFortunesAsync(CancellationToken cancellationToken);

    /// <summary>Reads so many rows, one query each, and writes a new number into each.</summary>
    Task<World[]> UpdateAsync(int count, CancellationToken cancellationToken);
}
