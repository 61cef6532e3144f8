using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>A check leaves nothing behind: a test project runs thousands of them, and some force garbage collections.</summary>
public sealed class EndedChecks
{
    [Theory]
    [InlineData("Callers are served in the order of arrival, blocked and asynchronous ones alike")]
    [InlineData("An item has one owner at a time")]
    [InlineData("A caller that cancels as its item arrives never keeps it")]
    public async Task An_ended_check_keeps_no_pool_alive(string name)
    {
        var pools = await RunAsync(name);

        var started = Stopwatch.GetTimestamp();
        while (pools.Exists(pool => pool.IsAlive) && Stopwatch.GetElapsedTime(started) < TimeSpan.FromSeconds(30))
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            await Task.Yield();
        }

        Assert.NotEmpty(pools);
        Assert.DoesNotContain(pools, pool => pool.IsAlive);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<List<WeakReference>> RunAsync(string name)
    {
        var pools = new List<WeakReference>();
        var variant = new WrongVariant("none", name)
        {
            Pool = pool =>
            {
                pools.Add(new WeakReference(pool));
                return pool;
            },
        };
        var contract = new WrongContract(variant);
        await contract.Checks.Single(check => string.Equals(check.Name, name, StringComparison.Ordinal)).RunAsync();
        return pools;
    }
}
