using System.Globalization;
using System.Threading.Channels;
using Poolhouse.Workers;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What the pool of workers promises: tiny items, as fast as what one would build instead.</summary>
internal static class WorkerBars
{
    // Bytes that the queues' growth may cost an item, and no object for each.
    private const double NoObject = 1;

    public static IReadOnlyList<Bar> All { get; } =
    [
        Against<ChannelItems>("channel, 2 long-running consumers", 1.0, posters: 1),
        Against<ThreadPoolItems>("UnsafeQueueUserWorkItem", 1.1, posters: 1),
        Against<ChannelItems>("channel, 2 long-running consumers", 1.0, posters: 2),
        Against<ThreadPoolItems>("UnsafeQueueUserWorkItem", 1.1, posters: 2),
    ];

    private static Bar Against<TRival>(string rival, double? limit, int posters)
        where TRival : struct, ITinyItems => new(
            posters == 1 ? "worker, tiny items" : $"worker, tiny items of {posters} threads",
            rival,
            limit,
            calls => TinyItems.NanosecondsPerItem<WorkerItems>(posters, calls),
            calls => TinyItems.NanosecondsPerItem<TRival>(posters, calls),
            posters == 1 ? TinyItems.BytesPerItem<WorkerItems> : null)
        {
            BytesAllowed = () => NoObject,
            Remark = () => TinyItems.WakeUpsPerThousand<WorkerItems>(posters) is { } ours
                && TinyItems.WakeUpsPerThousand<TRival>(posters) is { } theirs
                    ? string.Create(CultureInfo.InvariantCulture, $"threads blocked a thousand items {ours:0.0} and {theirs:0.0}")
                    : null,
        };

    internal readonly struct WorkerItems : ITinyItems
    {
        private static readonly WorkerPool<NoState> _pool =
            WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = TinyItems.Consumers });

        public static void Post(TinyItems.Tally tally) => _pool.TryPost(static (_, tally) => tally.Count(), tally);
    }

    internal readonly struct ThreadPoolItems : ITinyItems
    {
        public static void Post(TinyItems.Tally tally) =>
            ThreadPool.UnsafeQueueUserWorkItem(static tally => tally.Count(), tally, preferLocal: false);
    }

    /// <summary>
    /// What one writes without a pool: a channel of delegates with their arguments, read by long-running tasks.
    /// </summary>
    internal readonly struct ChannelItems : ITinyItems
    {
        private static readonly Channel<(Action<TinyItems.Tally> Work, TinyItems.Tally Tally)> _channel = Make();

        public static void Post(TinyItems.Tally tally) => _channel.Writer.TryWrite((static tally => tally.Count(), tally));

        private static Channel<(Action<TinyItems.Tally> Work, TinyItems.Tally Tally)> Make()
        {
            var channel =
                Channel.CreateUnbounded<(Action<TinyItems.Tally> Work, TinyItems.Tally Tally)>();
            for (var consumer = 0; consumer < TinyItems.Consumers; consumer++)
            {
                _ = Task.Factory.StartNew(
                    () => ConsumeAsync(channel.Reader), CancellationToken.None, TaskCreationOptions.LongRunning,
                    TaskScheduler.Default);
            }

            return channel;
        }

        private static async Task ConsumeAsync(
            ChannelReader<(Action<TinyItems.Tally> Work, TinyItems.Tally Tally)> reader)
        {
            while (await reader.WaitToReadAsync())
            {
                while (reader.TryRead(out var item))
                {
                    item.Work(item.Tally);
                }
            }
        }
    }
}
