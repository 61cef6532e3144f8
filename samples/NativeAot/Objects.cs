using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.NativeAot;

internal static class Objects
{
    public static string Use()
    {
        var seen = new StringBuilder();
        PlainPool(seen);
        PoolWithStructPolicy(seen);
        PoolOfProvider(seen);
        ParanoidPool(seen);
        return seen.ToString();
    }

    private static void PlainPool(StringBuilder seen)
    {
        using var pool = new TieredObjectPool<List<string>>(
            () => [], names => { names.Clear(); return true; }, new ObjectPoolOptions { Name = "names", MaxRetained = 8 });
        var lease = pool.Rent();
        lease.Value.Add("Ada");
        LeaseInfo info = lease.Info;
        seen.Append(pool.Name).Append(lease.Value[0]).Append(info.Uses);
        EndTwice(lease);
        Show(pool, seen);
    }

    private static void ParanoidPool(StringBuilder seen)
    {
        static void Ignore(object? sender, PoolMisuseEventArgs misuse)
        {
        }

        PoolMisuse.Detected += Ignore;
        using var pool =
            new TieredObjectPool<List<string>>(() => [], options: new ObjectPoolOptions { Paranoid = ParanoidMode.Throw });
        var names = pool.Get();
        pool.Return(names);
        try
        {
#pragma warning disable PH2001 // The second return is what the pool must detect.
            pool.Return(names);
#pragma warning restore PH2001
        }
        catch (PoolMisuseException exception) when (exception.Misuse.Kind == PoolMisuseKind.DoubleReturn)
        {
            seen.Append(exception.PoolName).Append(pool.GetStatistics().DoubleReturns);
        }

        PoolMisuse.Detected -= Ignore;
    }

    private static void EndTwice(Lease<List<string>> lease)
    {
        lease.Dispose();
        lease.Dispose();
    }

    private static void PoolWithStructPolicy(StringBuilder seen)
    {
        using var pool = new TieredObjectPool<List<int>, ListPolicy>();
        var numbers = pool.Get();
        numbers.AddRange([1, 2, 3]);
        pool.Return(numbers);
        seen.Append(pool.Get().Count);
        Show(pool, seen);
    }

    private static void PoolOfProvider(StringBuilder seen)
    {
        ObjectPoolProvider provider = new TieredObjectPoolProvider();
        var texts = provider.CreateStringBuilderPool();
        var text = texts.Get();
        seen.Append(text.Append("text").Length);
        texts.Return(text);
        Show((IPool)texts, seen);
    }

    private static void Show(IPool pool, StringBuilder seen)
    {
        var statistics = (CachePoolStatistics)pool.GetStatistics();
        seen.Append(statistics.Rented).Append(statistics.Created).Append(statistics.DoubleReturns).Append(pool.Trim());
    }
}
