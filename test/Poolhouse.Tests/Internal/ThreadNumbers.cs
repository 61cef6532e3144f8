using Poolhouse.Internal;

namespace Poolhouse.Tests.Internal;

public sealed class ThreadNumbers
{
    [Fact]
    public void Living_threads_have_different_numbers()
    {
        var numbers = new int[16];
        using var all = new Barrier(numbers.Length);
        Threads.Run(numbers.Length, index =>
        {
            numbers[index] = ThreadIndex.GetOrAssign();
            Assert.Equal(numbers[index], ThreadIndex.Current);
            all.SignalAndWait();
        });

        Assert.Equal(numbers.Length, numbers.Distinct().Count());
        Assert.DoesNotContain(0, numbers);
    }

    [Fact]
    public void The_number_of_a_thread_that_ended_is_used_again()
    {
        var highest = 0;
        for (var round = 0; round < 20; round++)
        {
            Threads.Run(8, _ => Max(ref highest, ThreadIndex.GetOrAssign()));
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        // 160 threads were numbered here; other tests run a few more beside it.
        Assert.InRange(highest, 1, 120);
    }

    private static void Max(ref int target, int value)
    {
        int seen;
        while ((seen = Volatile.Read(ref target)) < value)
        {
            Interlocked.CompareExchange(ref target, value, seen);
        }
    }
}
