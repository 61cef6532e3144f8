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
            pool.Dispose();
            Console.WriteLine(pool.GetStatistics());
        }

        Console.WriteLine($"Links disposed: {Link.Disposed}.");
    }

    private sealed class Link : IDisposable
    {
        public static int Disposed { get; private set; }

        public void Dispose() => Disposed++;
    }
}
