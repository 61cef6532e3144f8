using System.Runtime.ExceptionServices;
using Poolhouse.Kernel.Threading;
using Poolhouse.Workers;

namespace Poolhouse.Ldap.Internal;

/// <summary>The threads that blocking calls run on: bounded, with deadlines enforced by the pool.</summary>
internal sealed class LdapThreads : IDisposable
{
    // The longest wait for an event or a task that .NET supports: 24 days.
    private static readonly TimeSpan _longestWait = TimeSpan.FromMilliseconds(int.MaxValue);

    private readonly WorkerPool<NoState> _workers;

    public LdapThreads(LdapPoolOptions options)
    {
        Max = options.EffectiveMaxThreads;
        _workers = WorkerPool.Create(new WorkerPoolOptions
        {
            MaxWorkers = Max,
            MaxAbandonedWorkers = options.MaxStuckThreads ?? Max,
            Name = options.Pool.Name + "/threads",
            TimeProvider = options.Pool.TimeProvider,
            Meter = options.Pool.Meter,
            MeterFactory = options.Pool.MeterFactory,
        });
    }

    /// <summary>The maximum number of threads, which does not change with the settings of the pool.</summary>
    public int Max { get; }

    /// <summary>Runs a call. The caller gets an answer in time even if the call never returns.</summary>
    /// <param name="call">The call.</param>
    /// <param name="timeout">How long it may run, and before that wait for a thread.</param>
    /// <param name="label">The label in reports of stuck threads.</param>
    /// <param name="cancellationToken">Ends the wait, also while the call runs.</param>
    /// <exception cref="TimeoutException">The call takes too long, or no thread was free in time.</exception>
    public async ValueTask<TResult> RunAsync<TResult>(
        LdapCall<TResult> call, TimeSpan timeout, string label, CancellationToken cancellationToken)
    {
        var run = BeginAsync(call, timeout, label, cancellationToken);
        try
        {
            if (run.IsCompleted || !cancellationToken.CanBeCanceled)
            {
                await run.ConfigureAwait(false);
            }
            else
            {
                await ObserveAsync(run).WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is (TimeoutException or OperationCanceledException) && !call.TryAbandon())
        {
            // It ended at the same moment.
        }

        return call.Outcome();
    }

    /// <summary>As <see cref="RunAsync"/>, blocking, also where every thread-pool thread is blocked.</summary>
    /// <param name="open">Creates the call; the argument is the event that signals its end.</param>
    /// <param name="timeout">As for <see cref="RunAsync"/>.</param>
    /// <param name="label">As for <see cref="RunAsync"/>.</param>
    /// <param name="cancellationToken">Ends the wait, also while the call runs.</param>
    public TResult Run<TResult>(
        Func<ManualResetEventSlim, LdapCall<TResult>> open, TimeSpan timeout, string label, CancellationToken cancellationToken)
    {
        var call = open(new ManualResetEventSlim());
        var task = ObserveAsync(BeginAsync(call, timeout, label, cancellationToken));
        if (task is { IsFaulted: true, Exception.InnerException: { } refused })
        {
            ExceptionDispatchInfo.Throw(refused);
        }

        try
        {
            if (!call.Signal!.Wait(LimitWait(timeout), cancellationToken))
            {
                throw new TimeoutException();
            }
        }
        catch (Exception e) when (!call.TryAbandon())
        {
            // It ended at the same moment. Otherwise any exception has abandoned it, so that a late result is not left over. An
            // interrupt is left for the next wait of the thread.
            if (e is ThreadInterruptedException)
            {
                CurrentThread.Interrupt();
            }
        }

        return call.Outcome();
    }

    /// <summary>Shortens a timeout that is too long for a blocking wait. An infinite one stays infinite.</summary>
    public static TimeSpan LimitWait(TimeSpan timeout) => timeout > _longestWait ? _longestWait : timeout;

    public WorkerPoolStatistics GetStatistics() => _workers.GetStatistics();

    private ValueTask BeginAsync<TResult>(
        LdapCall<TResult> call, TimeSpan timeout, string label, CancellationToken cancellationToken) => _workers.RunAsync(
        static (_, call) => call.Run(), call, new WorkOptions { QueueTimeout = timeout, RunTimeout = timeout, Label = label },
        cancellationToken);

    // When it fails, there may no longer be a waiter.
    private static Task ObserveAsync(ValueTask run)
    {
        var task = run.AsTask();
        _ = task.ContinueWith(
            static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        return task;
    }

    public void Dispose() => _workers.Dispose();
}
