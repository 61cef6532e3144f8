using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Tests.Buffers;

/// <summary>
/// A thread finds stacks of value types through a thread static, which ends with the thread; the stacks do not.
/// </summary>
[Collection(nameof(Alone))]
public sealed class EndedThreads
{
    [Fact]
    public void The_next_thread_with_its_number_rents_the_arrays_of_a_private_pool()
    {
        using var pool = Pools.Make<byte>();

        Assert.True(IsFoundAgain(pool));
    }

    [Fact]
    public void The_next_thread_with_its_number_rents_the_arrays_of_the_shared_pool() =>
        Assert.True(IsFoundAgain(TieredArrayPool<UsedHereOnly>.Shared));

    [Fact]
    public void A_collectible_load_context_unloads_after_arrays_of_its_types_were_pooled()
    {
        var context = PoolInCollectibleContext();
        for (var attempt = 0; attempt < 10 && context.IsAlive; attempt++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(context.IsAlive);
    }

    private static bool IsFoundAgain<T>(TieredArrayPool<T> pool)
    {
        var (number, left) = (0, default(T[]));
        Threads.RunAlone(() =>
        {
            number = ThreadIndex.GetOrAssign();
            left = pool.Rent(16);
            pool.Return(left);
        });

        return RentOnThreadWithNumber(number, pool) == left;
    }

    // A new thread gets the lowest free number, and a finalizer frees the number of an ended thread. So each thread that gets a
    // lower number keeps it until one gets this number.
    private static T[] RentOnThreadWithNumber<T>(int number, TieredArrayPool<T> pool)
    {
        using var isFound = new ManualResetEventSlim();
        var threads = new List<Thread>();
        var found = default(T[]);
        while (found is null && threads.Count < 1_000)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            using var isNumbered = new ManualResetEventSlim();
            var signal = isNumbered;
            threads.Add(new Thread(() =>
            {
                found = ThreadIndex.GetOrAssign() == number ? pool.Rent(16) : null;
                signal.Set();
                isFound.Wait();
            }));
            threads[^1].Start();
            signal.Wait();
        }

        isFound.Set();
        threads.ForEach(thread => thread.Join());
        Assert.NotNull(found);
        return found;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference PoolInCollectibleContext()
    {
        var context = new AssemblyLoadContext("collectible", isCollectible: true);
        var assembly = context.LoadFromAssemblyPath(typeof(Poolhouse.Testing.ManualTimeProvider).Assembly.Location);
        var type = assembly.GetTypes().First(each => each is { IsEnum: true, IsPublic: true });
        typeof(EndedThreads).GetMethod(nameof(UseBoth), BindingFlags.NonPublic | BindingFlags.Static)!
            .MakeGenericMethod(type).Invoke(null, []);
        context.Unload();
        return new WeakReference(context);
    }

    private static void UseBoth<T>()
    {
        TieredArrayPool<T>.Shared.Return(TieredArrayPool<T>.Shared.Rent(16));
        using var pool = Pools.Make<T>();
        pool.Return(pool.Rent(16));
    }

    private enum UsedHereOnly
    {
        None,
    }
}
