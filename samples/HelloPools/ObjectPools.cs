using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.HelloPools;

internal static class ObjectPools
{
    public static void Show()
    {
        Console.WriteLine("== Object pools");
        GetAndReturn();
        WithOptions();
        WithResettableItems();
        WithStructPolicy();
        AheadOfDemand();
    }

    private static void GetAndReturn()
    {
        // snippet: object-pool
        using var pool = new TieredObjectPool<StringBuilder>(
            create: () => new StringBuilder(),
            reset: text => text.Clear().Capacity <= 4096);

        var text = pool.Get();
        text.Append("Hello, pool.");
        Console.WriteLine(text);
        pool.Return(text);
        // end snippet
    }

    private static void WithOptions()
    {
        // snippet: object-options
        using var pool = new TieredObjectPool<StringBuilder>(
            new StringBuilderPooledObjectPolicy(),
            new ObjectPoolOptions { Name = "report-texts", MaxRetained = 200, IdleTimeout = TimeSpan.FromMinutes(1) });
        // end snippet

        var text = pool.Get();
        text.Append($"{pool.Name} retains up to {pool.MaxRetained}.");
        Console.WriteLine(text);
        pool.Return(text);
    }

    private static void WithResettableItems()
    {
        // snippet: resettable
        // Basket implements IResettable: the default policy of Microsoft.Extensions.ObjectPool calls its TryReset on each return.
        using var baskets = new TieredObjectPool<Basket>(new DefaultPooledObjectPolicy<Basket>());

        var basket = baskets.Get();
        basket.Add(12.50m);
        baskets.Return(basket);
        Console.WriteLine($"The next basket starts at {baskets.Get().Total}.");
        // end snippet
    }

    private static void WithStructPolicy()
    {
        // snippet: use-struct-policy
        using var pool = new TieredObjectPool<List<int>, ListPolicy>();

        var numbers = pool.Get();
        numbers.AddRange([1, 2, 3]);
        Console.WriteLine($"{numbers.Count} numbers on a pooled list.");
        pool.Return(numbers);
        // end snippet
    }

    private static void AheadOfDemand()
    {
        // snippet: prefill
        using var pool = new TieredObjectPool<List<int>, ListPolicy>();
        var created = pool.Prefill(16);
        var destroyed = pool.Trim();
        Console.WriteLine($"{created} created ahead of demand, {destroyed} destroyed again.");
        // end snippet
    }
}
