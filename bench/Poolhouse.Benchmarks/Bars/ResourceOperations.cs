using Poolhouse.Tool.Bench.Rivals;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>The pools of resources, each filled with more items than one thread or two need.</summary>
internal static class ResourcePools
{
    private const int Size = 8;
    private const int ManyHeld = 10;

    // The name is the first in a watcher's list.
    public static readonly ResourcePool<Thing> Poolhouse = Filled(Size, "A");
    public static readonly ResourcePool<Thing> Large = Filled(ManyHeld, "B");
    public static readonly Lease<Thing>[] Held = new Lease<Thing>[ManyHeld];
    public static readonly ChannelPool<Thing> Channel = FilledChannel();
    public static readonly SemaphoreSlim Semaphore = new(1);

    /// <summary>A pool with the default settings and nothing in it.</summary>
    public static ResourcePool<Thing> Make(int maxSize, string? name = null) => ResourcePool.Create(
        _ => new ValueTask<Thing>(new Thing()), new ResourcePoolOptions { MaxSize = maxSize, Name = name });

    public static RivalItems<Thing> RivalThings() => RivalItems<Thing>.Made(_ => new ValueTask<Thing>(new Thing()));

    private static ResourcePool<Thing> Filled(int size, string name)
    {
        var pool = Make(size, name);
        pool.WarmUpAsync(size).Wait();
        return pool;
    }

    private static ChannelPool<Thing> FilledChannel()
    {
        var pool = new ChannelPool<Thing>(Size, RivalThings());
        var things = Enumerable.Range(0, Size).Select(_ => pool.Rent(Timeout.InfiniteTimeSpan)).ToList();
        things.ForEach(pool.Return);
        return pool;
    }
}

internal readonly struct ResourcePair : IOperation
{
    public static void Run(int pairs)
    {
        var pool = ResourcePools.Poolhouse;
        for (var i = 0; i < pairs; i++)
        {
            using var lease = pool.Rent();
            lease.Value.Uses++;
        }
    }
}

/// <summary>
/// Ten items held at once: only one of them fits into the cell of the thread, the others pass through the gate.
/// </summary>
internal readonly struct ResourceTen : IOperation
{
    public static void Run(int pairs)
    {
        var pool = ResourcePools.Large;
        var held = ResourcePools.Held.AsSpan();
        for (var done = 0; done < pairs; done += held.Length)
        {
            for (var i = 0; i < held.Length; i++)
            {
                held[i] = pool.Rent();
            }

            foreach (var lease in held)
            {
                lease.Dispose();
            }
        }
    }
}

// No operation has to wait, so each asynchronous loop runs to its end on the calling thread without creating a task.
internal readonly struct ResourcePairAsync : IOperation
{
    public static void Run(int pairs) => RunAsync(pairs).Wait();

    private static async Task RunAsync(int pairs)
    {
        var pool = ResourcePools.Poolhouse;
        for (var i = 0; i < pairs; i++)
        {
            await using var lease = await pool.RentAsync();
            lease.Value.Uses++;
        }
    }
}

internal readonly struct ChannelPair : IOperation
{
    public static void Run(int pairs)
    {
        var pool = ResourcePools.Channel;
        for (var i = 0; i < pairs; i++)
        {
            var thing = pool.Rent(Timeout.InfiniteTimeSpan);
            thing.Uses++;
            pool.Return(thing);
        }
    }
}

internal readonly struct ChannelPairAsync : IOperation
{
    public static void Run(int pairs) => RunAsync(pairs).Wait();

    private static async Task RunAsync(int pairs)
    {
        var pool = ResourcePools.Channel;
        for (var i = 0; i < pairs; i++)
        {
            var thing = await pool.RentAsync(Timeout.InfiniteTimeSpan, CancellationToken.None);
            thing.Uses++;
            pool.Return(thing);
        }
    }
}

internal readonly struct SemaphorePair : IOperation
{
    public static void Run(int pairs)
    {
        var semaphore = ResourcePools.Semaphore;
        for (var i = 0; i < pairs; i++)
        {
            semaphore.Wait();
            semaphore.Release();
        }
    }
}

internal readonly struct SemaphorePairAsync : IOperation
{
    public static void Run(int pairs) => RunAsync(pairs).Wait();

    private static async Task RunAsync(int pairs)
    {
        var semaphore = ResourcePools.Semaphore;
        for (var i = 0; i < pairs; i++)
        {
            await semaphore.WaitAsync();
            semaphore.Release();
        }
    }
}
