
namespace Poolhouse.Stress;

/// <summary>Everything at once on a server set: creations in every outcome, reports, new lists, items that leave.</summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class ServerSetStressTests(ITestOutputHelper output)
{
    private static readonly int[] _all = [1, 2, 3, 4];

    private readonly StressRun _run = new(output);

    [Theory]
    [InlineData(ServerSelection.Ordered)]
    [InlineData(ServerSelection.LeastOutstanding)]
    public void All_counts_of_items_and_attempts_return_to_zero(ServerSelection selection)
    {
        var set = new ServerSet<int>(_all, new ServerSetOptions
        {
            Selection = selection,
            AttemptTimeout = TimeSpan.FromMilliseconds(2),
            RecheckDelay = TimeSpan.FromMilliseconds(1),
            MaxRecheckDelay = TimeSpan.FromMilliseconds(5),
            FailBackAge = TimeSpan.FromMilliseconds(1),
        });
        var created = 0L;
        _run.Run(6, random =>
        {
            var timeout = random.Next(4) == 0 ? TimeSpan.FromMilliseconds(2) : Timeout.InfiniteTimeSpan;
            using var unwanted = new CancellationTokenSource();
            try
            {
                using var item = set.Create((server, token) => Connect(server, unwanted, random, token), timeout, unwanted.Token);
                Interlocked.Increment(ref created);
                Use(set, item, random);
            }
            catch (Exception failure)
                when (failure is IOException or OperationCanceledException or TimeoutException or NoServerAvailableException)
            {
                // One of the ways that a creation ends.
            }
        });

        set.Replace(_all);
        var statistics = set.GetStatistics();
        Assert.All(statistics, each => Assert.Equal((0, 0), (each.Items, each.Creating)));
        Assert.Equal(_all, statistics.Select(each => each.Server));
        output.WriteLine($"{created:N0} created; {string.Join("; ", statistics)}");
    }

    private static object Connect(int server, CancellationTokenSource unwanted, Random random, CancellationToken token)
    {
        switch (random.Next(server == 4 ? 16 : 8))
        {
            case 0:
                throw new IOException();
            case 1 when random.Next(4) == 0:
                // It does not answer, until its time is up or the creation's.
                token.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(random.Next(4)));
                token.ThrowIfCancellationRequested();
                return new object();
            case 2 when random.Next(4) == 0:
                // It answers, or fails, after the time of the creation.
                token.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(3));
                return random.Next(2) == 0 ? new object() : throw new OperationCanceledException(token);
            case 3 when random.Next(4) == 0:
                unwanted.Cancel();
                throw new OperationCanceledException(token);
            default:
                return new object();
        }
    }

    private static void Use(ServerSet<int> set, ServerItem<int, object> item, Random random)
    {
        switch (random.Next(20))
        {
            case 0:
                item.ReportFailure();
                break;
            case 1:
                set.ReportSuccess(item.Server);
                break;
            case 2:
                set.Replace(_all.Where(_ => random.Next(2) == 0).DefaultIfEmpty(item.Server));
                break;
            case 3:
                item.Detach();
                break;
            case 4:
                item.Dispose();
                break;
            default:
                item.ShouldFailBack();
                break;
        }
    }
}
