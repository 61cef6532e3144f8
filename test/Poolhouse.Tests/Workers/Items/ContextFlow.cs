#pragma warning disable xUnit1030 // Where a caller resumes without a context is what is tested.
using System.Globalization;

namespace Poolhouse.Tests.Workers.Items;

/// <summary>No context flows from the caller to an item or from one item to the next, unless requested.</summary>
public sealed class ContextFlow
{
    private static readonly AsyncLocal<string?> _local = new();
    private static readonly CultureInfo _foreign = (CultureInfo)CultureInfo.InvariantCulture.Clone();

    [Theory]
    [InlineData(false, null)]
    [InlineData(true, "the caller's")]
    public async Task The_callers_context_flows_if_requested(bool flows, string? expected)
    {
        using var bench = new WorkerBench();
        bench.Options.FlowExecutionContext = flows;
        _local.Value = "the caller's";

        Assert.Equal(expected, await bench.GetAsync(static _ => _local.Value).WaitAsync(Background.Limit));
        Assert.Equal(expected, await bench.Pool.RunAsync(static async _ =>
        {
            await Task.Yield();
            return _local.Value;
        }).AsTask().WaitAsync(Background.Limit));
        var posted = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Assert.True(bench.Pool.TryPost(static (_, posted) => posted.SetResult(_local.Value), posted));
        Assert.Equal(expected, await posted.Task.WaitAsync(Background.Limit));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void State_an_item_leaves_on_its_thread_does_not_reach_the_next_item(bool flows)
    {
        using var bench = new WorkerBench();
        bench.Options.FlowExecutionContext = flows;
        bench.Pool.Run(static _ =>
        {
            _local.Value = "left behind";
            CultureInfo.CurrentCulture = _foreign;
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            ExecutionContext.SuppressFlow();
        });

        Assert.Equal((null, false, false, false), bench.Pool.Run(static _ => (
            _local.Value,
            ReferenceEquals(CultureInfo.CurrentCulture, _foreign),
            SynchronizationContext.Current is not null,
            ExecutionContext.IsFlowSuppressed())));
    }

    [Fact]
    public async Task State_left_by_a_post_or_a_worker_command_does_not_reach_the_next_item()
    {
        using var bench = new WorkerBench();
        Assert.True(bench.Pool.TryPost<string>(static (_, text) => Leave(text), "posted"));
        Assert.Equal((null, false), bench.Pool.Run(static _ => (_local.Value, SynchronizationContext.Current is not null)));

        await bench.Pool.BroadcastAsync(static _ => Leave("broadcast")).WaitAsync(Background.Limit);

        Assert.Equal((null, false), bench.Pool.Run(static _ => (_local.Value, SynchronizationContext.Current is not null)));

        static void Leave(string text)
        {
            _local.Value = text;
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        }
    }

    [Fact]
    public async Task The_awaiting_caller_resumes_on_another_thread()
    {
        using var bench = new WorkerBench(2);
        bench.Options.QueueCapacity = 1;
        for (var i = 0; i < 500; i++)
        {
            await bench.Pool.RunAsync(static _ => { }).ConfigureAwait(false);
            Assert.False(bench.Pool.IsWorkerThread);
            await bench.Pool.PostAsync<object?>(static (_, _) => { }, null).ConfigureAwait(false);
            Assert.False(bench.Pool.IsWorkerThread);
            await bench.Pool.RunAsync(static _ => Task.CompletedTask).ConfigureAwait(false);
            Assert.False(bench.Pool.IsWorkerThread);
            await bench.Pool.BroadcastAsync(static _ => { }).ConfigureAwait(false);
            Assert.False(bench.Pool.IsWorkerThread);
        }

        await bench.Pool.DrainAsync().ConfigureAwait(false);
        Assert.False(bench.Pool.IsWorkerThread);
    }
}
