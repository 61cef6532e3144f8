using System.Threading.Channels;
using Poolhouse.Workers;

namespace Poolhouse.Tool.Bench.Workers;

/// <summary>Runs the items of a job.</summary>
/// <param name="Post">Submits one item.</param>
/// <param name="Owner">What to dispose in the end, if anything.</param>
internal sealed record Runner(Action Post, IDisposable? Owner = null)
{
    /// <summary>A thread for each item.</summary>
    public static Runner OfNewThreads(Job job) =>
        new(() => new Thread(static each => ((Job)each!).Execute()) { IsBackground = true }.UnsafeStart(job));

    public static Runner OfThreadPool(Job job) => new(() => ThreadPool.UnsafeQueueUserWorkItem(job, preferLocal: false));

    public static Runner OfWorkers(Job job, int workers)
    {
        var pool = WorkerPool.Create(OptionsOf(workers));
        return new Runner(() => pool.TryPost(static (_, each) => each.Execute(), job), pool);
    }

    /// <summary>Workers with a state of their own, which each item uses.</summary>
    public static Runner OfWorkers<TState>(Job job, int workers, Func<TState> create, Func<TState, long> use)
        where TState : class
    {
        var pool = WorkerPool.Create(create, OptionsOf(workers));
        var item = new StateUse<TState>(job, use);
        return new Runner(() => pool.TryPost(static (state, each) => each.Run(state), item), pool);
    }

    /// <summary>Long-running tasks that read from a channel.</summary>
    public static Runner OfChannel(Job job, int consumers)
    {
        var channel =
            Channel.CreateUnbounded<Job>(new UnboundedChannelOptions { SingleReader = consumers == 1, SingleWriter = true });
        for (var i = 0; i < consumers; i++)
        {
            new Thread(() => Consume(channel.Reader)) { IsBackground = true, Name = $"consumer {i + 1}" }.Start();
        }

        return new Runner(() => channel.Writer.TryWrite(job), new Completion(channel.Writer));
    }

    private static WorkerPoolOptions OptionsOf(int workers) => new() { MaxWorkers = workers, Name = "bench" };

    private static void Consume(ChannelReader<Job> reader)
    {
#pragma warning disable VSTHRD002 // A consumer has its thread to itself and may block it.
        while (reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
#pragma warning restore VSTHRD002
        {
            while (reader.TryRead(out var job))
            {
                job.Execute();
            }
        }
    }

    private sealed class StateUse<TState>(Job job, Func<TState, long> use)
    {
        public void Run(TState state) => job.Finish(use(state));
    }

    private sealed class Completion(ChannelWriter<Job> writer) : IDisposable
    {
        public void Dispose() => writer.TryComplete();
    }
}
