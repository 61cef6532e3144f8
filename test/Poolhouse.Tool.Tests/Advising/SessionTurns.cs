using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>Which sessions with a process exclude each other, so that short ones end in time.</summary>
public sealed class SessionTurns
{
    private static readonly TimeSpan _short = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(3);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_short_session_keeps_its_turn_and_a_long_one_takes_it_again_to_end(bool isShort)
    {
        using var turns = new Sampler.Turns();
        var ended = new TaskCompletionSource();
        await turns.TakeAsync(TestContext.Current.CancellationToken);
        var first = turns.WaitAsync(isShort ? _short : _long, () => ended.Task);
        var second = turns.TakeAsync(TestContext.Current.CancellationToken);
        Assert.Equal(!isShort, second.IsCompleted);

        ended.SetResult();
        if (isShort)
        {
            await first;
            Assert.False(second.IsCompleted);
            turns.Release();
            await second;
            return;
        }

        Assert.False(first.IsCompleted);
        turns.Release();
        await first;
    }

    [Fact]
    public async Task A_long_session_whose_wait_is_canceled_has_its_turn_to_end()
    {
        using var turns = new Sampler.Turns();
        await turns.TakeAsync(TestContext.Current.CancellationToken);
        await Assert.ThrowsAsync<OperationCanceledException>(
            () => turns.WaitAsync(_long, () => Task.FromException(new OperationCanceledException())));
        var second = turns.TakeAsync(TestContext.Current.CancellationToken);
        Assert.False(second.IsCompleted);
        turns.Release();
        await second;
    }
}
