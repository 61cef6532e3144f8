namespace Poolhouse.Samples.ContractTests;

/// <summary>The code under test in the examples about leaks.</summary>
internal static class Report
{
    public static int Write()
    {
        using var pool = new TieredObjectPool<List<string>>(() => [], options: new ObjectPoolOptions { Name = "report lines" });
        using var lease = pool.Rent();
        lease.Value.Clear();
        lease.Value.AddRange(["a", "b", "c"]);
        return lease.Value.Count;
    }
}
