using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.ObjectPool;
using Poolhouse;
using Poolhouse.Workers;

// One pool is created and rented from once, in this new process: the time and the bytes of that are printed. Without an argument,
// the names of the pools. Poolhouse.Benchmarks --cold-start runs this program for each pool.
(string Name, Action Rent)[] pools =
[
    ("DefaultObjectPool", static () =>
    {
        var pool = new DefaultObjectPool<StringBuilder>(new DefaultPooledObjectPolicy<StringBuilder>());
        pool.Return(pool.Get());
    }),
    ("TieredObjectPool", static () =>
    {
        var pool = new TieredObjectPool<StringBuilder>(new DefaultPooledObjectPolicy<StringBuilder>());
        pool.Return(pool.Get());
    }),
    ("ArrayPool.Shared", static () => ArrayPool<byte>.Shared.Return(ArrayPool<byte>.Shared.Rent(1000))),
    ("TieredArrayPool.Shared", static () => TieredArrayPool<byte>.Shared.Return(TieredArrayPool<byte>.Shared.Rent(1000))),
    ("MemoryStream", static () => new MemoryStream().WriteByte(1)),
    ("StreamPool", static () =>
    {
        using var stream = new StreamPool().Rent();
        stream.WriteByte(1);
    }),
    ("ResourcePool", static () =>
    {
        var pool = ResourcePool.Create(static _ => new ValueTask<StringBuilder>(new StringBuilder()), Resources());
        using var lease = pool.Rent();
    }),
    ("KeyedResourcePool", static () =>
    {
        var pool = new KeyedResourcePool<string, StringBuilder>(
            static _ => ResourcePolicy.Create(static _ => new ValueTask<StringBuilder>(new StringBuilder())),
            new KeyedResourcePoolOptions<string> { MaxSize = 8, Pool = Resources() });
        using var lease = pool.Rent("key");
    }),
    ("SharedResourcePool", static () =>
    {
        var pool = new SharedResourcePool<StringBuilder>(
            ResourcePolicy.Create(static _ => new ValueTask<StringBuilder>(new StringBuilder())),
            new SharedResourcePoolOptions { Pool = Resources() });
        using var lease = pool.Rent();
    }),
    ("NestedResourcePool", static () =>
    {
        var pool = new NestedResourcePool<StringBuilder, int[]>(
            ResourcePolicy.Create(static _ => new ValueTask<StringBuilder>(new StringBuilder())),
            NestedPolicy.Create<StringBuilder, int[]>(static (_, _) => new ValueTask<int[]>([])),
            new NestedResourcePoolOptions { ParentPool = Resources(), ChildPool = Resources() });
        using var lease = pool.Rent();
    }),
    ("WorkerPool", static () =>
    {
        var pool = WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = 1 });
        pool.RunAsync(static _ => 1).AsTask().GetAwaiter().GetResult();
    }),
];

if (args is not [var name])
{
    Console.WriteLine(string.Join(' ', pools.Select(static pool => pool.Name)));
    return;
}

var rent = pools.Single(pool => string.Equals(pool.Name, name, StringComparison.Ordinal)).Rent;
var bytes = GC.GetTotalAllocatedBytes(precise: true);
var start = Stopwatch.GetTimestamp();
rent();
var microseconds = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
bytes = GC.GetTotalAllocatedBytes(precise: true) - bytes;
Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{microseconds:0} {bytes}"));

static ResourcePoolOptions Resources() => new() { MaxSize = 8 };
