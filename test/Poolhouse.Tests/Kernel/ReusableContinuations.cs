using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Tests.Kernel;

/// <summary>I1: a continuation serves one caller at a time, also if a result is requested too early or twice.</summary>
#pragma warning disable CA1812, CA2012, VSTHRD002, xUnit1031 // Created by the base class; misuse is tested.
public sealed class ReusableContinuations
{
    private readonly TaskCompletionSource<int> _awaited = new();

    [Fact]
    public void The_result_follows_from_the_awaited_one()
    {
        var doubled = Doubled.AfterAsync(_awaited.Task);
        Assert.False(doubled.IsCompleted);

        _awaited.SetResult(21);

        Assert.Equal(42, doubled.Result);
    }

    [Fact]
    public void A_task_that_has_completed_is_continued_at_once()
    {
        Assert.Equal(42, Doubled.AfterAsync(Task.FromResult(21)).Result);
        var failed = Doubled.AfterAsync(Task.FromException<int>(new NotSupportedException()));
        Assert.True(failed.IsFaulted);
        Assert.Throws<NotSupportedException>(() => failed.Result);
    }

    [Fact]
    public void A_thread_that_took_a_result_reuses_the_continuation_for_its_next_wait()
    {
        var first = Doubled.AfterAsync(_awaited.Task);
        _awaited.SetResult(1);
        _ = first.Result;
        var next = new TaskCompletionSource<int>();
        var second = Doubled.AfterAsync(next.Task);

        Assert.Throws<InvalidOperationException>(() => first.Result);
        next.SetResult(2);

        Assert.Same(Doubled.LastRun, Doubled.RunBefore);
        Assert.Equal(4, second.Result);
    }

    [Fact]
    public void A_result_that_is_requested_too_early_affects_no_other_caller()
    {
        var early = Doubled.AfterAsync(_awaited.Task);
        Assert.Throws<InvalidOperationException>(() => early.Result);
        var next = new TaskCompletionSource<int>();
        var other = Doubled.AfterAsync(next.Task);

        _awaited.SetResult(1);
        next.SetResult(2);

        Assert.Equal((2, 4), (early.Result, other.Result));
    }

    [Fact]
    public void Of_two_threads_that_take_one_result_one_gets_it_and_later_callers_share_nothing()
    {
        var rounds = new Rounds(20_000);
        var (start, finish) = (new SpinBarrier(), new SpinBarrier());
        var pending = new TaskCompletionSource<int>().Task;
        var shared = default(ValueTask<int>);
        var (taken, later) = (new int[2], new ValueTask<int>[2]);
        Threads.Run(2, number =>
        {
            for (var round = 0; round < rounds.Count; round++)
            {
                if (number == 0)
                {
                    rounds.EndIfLate(round);
                    var awaited = new TaskCompletionSource<int>();
                    shared = Doubled.AfterAsync(awaited.Task);
                    awaited.SetResult(1);
                }

                start.Wait();
                taken[number] += Record.Exception(() => shared.Result) is null ? 1 : 0;
                later[number] = Doubled.AfterAsync(pending);
                finish.Wait();
                Assert.NotEqual(later[0], later[1]);
                start.Wait();
            }
        });

        Assert.Equal(rounds.Count, taken.Sum());
    }

    private sealed class Doubled : ReusableContinuation<Doubled, int, int>
    {
        public static Doubled? LastRun { get; private set; }

        public static Doubled? RunBefore { get; private set; }

        public static ValueTask<int> AfterAsync(Task<int> awaited) => Take().BeginAsync(new ValueTask<int>(awaited));

        protected override int Continue(ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter awaiter)
        {
            (RunBefore, LastRun) = (LastRun, this);
            return 2 * awaiter.GetResult();
        }
    }
}
#pragma warning restore CA1812, CA2012, VSTHRD002, xUnit1031
