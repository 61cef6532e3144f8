namespace Poolhouse.Samples;

/// <summary>What the endpoint /pools answers.</summary>
/// <param name="Dirty">Items that came out of a pool with something in them.</param>
/// <param name="Pools">The app's pools; empty where .NET's own pools run.</param>
public sealed record PoolReport(int Dirty, IReadOnlyList<PoolLine> Pools);
