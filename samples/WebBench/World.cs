namespace Poolhouse.Samples.WebBench;

internal sealed class World
{
    /// <summary>How many rows there are, numbered from 1.</summary>
    public const int Count = 10_000;

    public int Id { get; set; }

    public int RandomNumber { get; set; }

    public static int AnyId() => Random.Shared.Next(1, Count + 1);
}
