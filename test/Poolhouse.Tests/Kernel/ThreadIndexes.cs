using Poolhouse.Kernel.Threading;

namespace Poolhouse.Tests.Kernel;

[Collection(nameof(Alone))]
public sealed class ThreadIndexes
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
    public void The_number_of_an_ended_thread_is_reused()
    {
        var numbers = new HashSet<int>();
        for (var round = 0; round < 20; round++)
        {
            Threads.RunAlone(() => numbers.Add(ThreadIndex.GetOrAssign()));
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        // The number of the last thread may not be free yet when the next thread starts.
        Assert.InRange(numbers.Count, 1, 3);
    }
}
