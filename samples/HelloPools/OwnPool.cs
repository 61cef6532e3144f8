namespace Poolhouse.Samples.HelloPools;

internal static class OwnPool
{
    public static void Show()
    {
        Console.WriteLine("== A pool of one's own");
        using var pool = new FixedPool<Link>(static () => new Link(), new FixedPoolOptions { Size = 2 });
        using (var lease = pool.TryRent())
        {
            Console.WriteLine($"{pool.Name}: use {lease?.Info.Uses} of an item.");
        }

        Console.WriteLine(pool.GetStatistics());
    }

    private sealed class Link;
}
