using System.Collections.Concurrent;
using System.Globalization;
using Poolhouse.Testing;

namespace Poolhouse.Stress;

/// <summary>
/// GetLeases while leases begin and end: every record shown is that of one lease, which was active during the call.
/// </summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class ActiveLeaseStressTests(ITestOutputHelper output)
{
    private readonly StressRun _run = new(output);
    private long _labels;

    [Fact]
    public void The_leases_of_a_pool_are_never_mixed_up()
    {
        using var pool = new ResourcePool<object>(NewPolicy(), Options(4));
        Run(pool, () => pool.Rent());
    }

    [Fact]
    public void The_uses_of_a_shared_pool_are_never_mixed_up()
    {
        using var pool = new SharedResourcePool<object>(
            NewPolicy(), new SharedResourcePoolOptions { Pool = Options(3), MaxUsesPerItem = 2 });
        Run(pool, () => pool.Rent());
    }

    private static ScriptedPolicy<object> NewPolicy() => new(static () => new object(), PolicyHooks.None);

    private static ResourcePoolOptions Options(int maxSize) =>
        new() { MaxSize = maxSize, LabelLeases = true, RentTimeout = TimeSpan.FromMinutes(1) };

    private void Run(IPool pool, Func<Lease<object>> rent)
    {
        var rented = new ConcurrentDictionary<string, long>(StringComparer.Ordinal);
        var shown = new ConcurrentQueue<LeaseSnapshot>();
        _run.Run(6, random =>
        {
            var label = Interlocked.Increment(ref _labels).ToString(CultureInfo.InvariantCulture);
            using (LeaseLabel.Use(label))
            {
                var lease = rent();
                rented[label] = lease.Info.ItemNumber;
                if (random.Next(8) == 0)
                {
                    Show(pool, shown, label, isActive: true);
                }

                if (random.Next(50) == 0)
                {
                    lease.Discard();
                }

                lease.Dispose();
                if (random.Next(8) == 0)
                {
                    Show(pool, shown, label, isActive: false);
                }
            }
        });

        Assert.NotEmpty(shown);
        Assert.All(shown, lease => Assert.Equal(rented[lease.Label!], lease.ItemNumber));
    }

    private static void Show(IPool pool, ConcurrentQueue<LeaseSnapshot> shown, string own, bool isActive)
    {
        var leases = pool.GetLeases(int.MaxValue);
        Assert.Equal(isActive, leases.Any(lease => string.Equals(lease.Label, own, StringComparison.Ordinal)));
        foreach (var lease in leases)
        {
            shown.Enqueue(lease);
        }
    }
}
