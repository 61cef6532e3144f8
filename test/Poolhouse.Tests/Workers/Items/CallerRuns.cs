using System.Globalization;
using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers.Items;

/// <summary>An item run by its caller because the queue is full is isolated from the caller as on a worker.</summary>
public sealed class CallerRuns
{
    private static readonly AsyncLocal<string?> _local = new();
    private static readonly CultureInfo _foreign = (CultureInfo)CultureInfo.InvariantCulture.Clone();
    private static readonly CultureInfo _another = (CultureInfo)CultureInfo.InvariantCulture.Clone();

    [Fact]
    public async Task An_item_with_a_queue_timeout_of_zero_is_not_run_by_its_caller()
    {
        using var bench = Full(flows: false);
        var ran = false;

        var item = bench.RunAsync(_ => ran = true, new WorkOptions { QueueTimeout = TimeSpan.Zero });
        bench.Clock.Advance(TimeSpan.FromMilliseconds(1));

        await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        Assert.False(ran);
        Assert.Equal(0, bench.Now.RunByCallers);
    }

    [Theory]
    [InlineData(false, null)]
    [InlineData(true, "the caller's")]
    public void The_callers_context_reaches_the_item_only_if_requested(bool flows, string? expected)
    {
        using var bench = Full(flows);
        _local.Value = "the caller's";
        CultureInfo.CurrentCulture = _foreign;
        var context = new SynchronizationContext();
        var before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context);

        var seen = bench.Pool.Run(static _ =>
            (_local.Value, ReferenceEquals(CultureInfo.CurrentCulture, _foreign), SynchronizationContext.Current));

        Assert.Same(context, SynchronizationContext.Current);
        SynchronizationContext.SetSynchronizationContext(before);
        Assert.Equal((expected, flows, null), seen);
        Assert.Equal(1, bench.Now.RunByCallers);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void No_context_of_the_item_reaches_the_caller(bool flows)
    {
        using var bench = Full(flows);
        _local.Value = "the caller's";
        CultureInfo.CurrentCulture = _foreign;
        var thread = Thread.CurrentThread;
        var settings = (thread.Name, thread.Priority, thread.IsBackground);

        bench.Pool.Run(static _ =>
        {
            _local.Value = "the item's";
            CultureInfo.CurrentCulture = _another;
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            Thread.CurrentThread.Name = "the item's";
            Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
        });

        Assert.Equal("the caller's", _local.Value);
        Assert.Same(_foreign, CultureInfo.CurrentCulture);
        Assert.Equal(settings, (thread.Name, thread.Priority, thread.IsBackground));
        Assert.Equal(1, bench.Now.RunByCallers);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void No_context_of_the_item_reaches_the_destruction_of_its_state(bool flows)
    {
        using var bench = Full(flows);
        (string?, SynchronizationContext?)? seen = null;
        bench.Policy.Destroying = _ => seen = (_local.Value, SynchronizationContext.Current);

        bench.Pool.Run(static _ =>
        {
            _local.Value = "the item's";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        });

        Assert.Equal((null, null), seen);
        Assert.Equal(1, bench.Now.RunByCallers);
        bench.Policy.Destroying = null;
    }

    [Fact]
    public async Task The_policy_may_wait_for_asynchronous_code_although_the_scheduler_of_the_caller_is_exclusive()
    {
        using var bench = Full(flows: false);
        var seen = new List<TaskScheduler>();
        bench.Policy.Creating = Wait;
        bench.Policy.Destroying = _ => Wait();
        var exclusive = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler;

        await Task.Factory.StartNew(
            () => bench.Pool.Run(_ => seen.Add(TaskScheduler.Current)),
            CancellationToken.None,
            TaskCreationOptions.None,
            exclusive).WaitAsync(Background.Limit);

        Assert.Equal([TaskScheduler.Default, TaskScheduler.Default, TaskScheduler.Default], seen);
        Assert.Equal(1, bench.Now.RunByCallers);
        (bench.Policy.Creating, bench.Policy.Destroying) = (null, null);

        void Wait()
        {
            seen.Add(TaskScheduler.Current);
            YieldAsync().GetAwaiter().GetResult();
        }

        static async Task YieldAsync() => await Task.Yield();
    }

    [Fact]
    public void An_interrupt_that_ends_the_destruction_of_the_state_is_kept_for_the_caller()
    {
        using var bench = Full(flows: false);
        bench.Policy.Destroying = static _ => throw new ThreadInterruptedException();
        Exception? thrown = null;

        Threads.RunAlone(() =>
        {
            bench.Use();
            thrown = Record.Exception(() => Thread.CurrentThread.Join(0));
        });

        Assert.IsType<ThreadInterruptedException>(thrown);
        bench.Policy.Destroying = null;
    }

    [Fact]
    public async Task An_item_with_a_run_timeout_waits_for_a_worker_because_its_caller_could_not_be_answered()
    {
        using var bench = Full(flows: false);

        var item = bench.GetAsync(
            static _ => Environment.CurrentManagedThreadId, new WorkOptions { RunTimeout = TimeSpan.FromSeconds(5) });

        Assert.False(item.IsCompleted);
        Assert.Equal((0, 2), (bench.Now.RunByCallers, bench.Now.Waiting));
        bench.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => item.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task States_of_callers_are_counted_and_reported_like_those_of_workers()
    {
        using var bench = Full(flows: false, listen: true);
        var before = bench.Now;

        bench.Use();
        bench.Policy.Destroying = static _ => throw new IOException();
        bench.Use();
        bench.Policy.Creating = static () => throw new IOException();
        await Assert.ThrowsAsync<IOException>(() => bench.RunAsync(static _ => { }));

        var now = bench.Now;
        Assert.Equal(
            (2, 2, 1, 1), (now.Created
                - before.Created, now.DestroyedFor(WorkerDestroyReason.Surplus), now.CreateFailures, now.DestroyFailures));
        Assert.Equal((3, 0), (now.RunByCallers, now.Rented - before.Rented));
        Assert.Equal(2, bench.Events.Of<StateDestroyedArgs>().Count);
        Assert.Equal(2, bench.Events.Of<StateCreatedArgs>().Count - 1);
        Assert.Single(bench.Events.Of<StateCreateFailedArgs>());
    }

    private static WorkerBench Full(bool flows, bool listen = false)
    {
        var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        bench.Options.QueueFull = QueueFullMode.CallerRuns;
        bench.Options.FlowExecutionContext = flows;
        if (listen)
        {
            bench.Listen();
        }

        bench.Block();
        bench.Fill(1);
        return bench;
    }
}
