#pragma warning disable PH1002 // shows what a lease does after its end
namespace Poolhouse.Samples.HelloPools;

internal static class Leases
{
    public static void Show()
    {
        Console.WriteLine("== Leases");
        RentAndDispose();
        EndOnce();
        DiscardAndDetach();
    }

    private static void RentAndDispose()
    {
        // snippet: lease
        using var pool = new TieredObjectPool<List<string>>(() => [], names => { names.Clear(); return true; });

        using (var lease = pool.Rent())
        {
            lease.Value.Add("Ada");
            Console.WriteLine($"Lease {lease.Info.Uses} of this item.");
        }
        // end snippet
    }

    private static void EndOnce()
    {
        // snippet: lease-ends-once
        using var pool = new TieredObjectPool<List<string>>(() => []);

        var lease = pool.Rent();
        var copy = lease;
        lease.Dispose();
        copy.Dispose(); // harmless, and counted

        Console.WriteLine($"Active: {copy.IsActive}. Double returns: {pool.GetStatistics().DoubleReturns}.");
        try
        {
            _ = copy.Value;
        }
        catch (ObjectDisposedException)
        {
            Console.WriteLine("A late use throws.");
        }
        // end snippet
    }

    private static void DiscardAndDetach()
    {
        using var pool = new TieredObjectPool<List<string>>(() => []);

        // snippet: discard-detach
        var broken = pool.Rent();
        broken.Discard();           // destroyed instead of reused

        var wanted = pool.Rent();
        var mine = wanted.Detach(); // mine from now on; its capacity in the pool is released
        // end snippet

        var statistics = pool.GetStatistics();
        Console.WriteLine($"{statistics.Discarded} discarded, {statistics.Detached} detached, {mine.Count} names.");
    }
}
