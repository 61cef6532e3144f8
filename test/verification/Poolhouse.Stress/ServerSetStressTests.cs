using Poolhouse.Servers;


namespace Poolhouse.Stress;

/// <summary>
/// All operations concurrently on a server set: creations with every outcome, reports, new lists, disposals of items.
/// </summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class ServerSetStressTests(ITestOutputHelper output)
{
    private static readonly int[] _all = [1, 2, 3, 4];

    private readonly StressRun _run = new(output);
    private int _sessions;

    [Theory]
    [InlineData(ServerSelection.Ordered)]
    [InlineData(ServerSelection.LeastOutstanding)]
    public void All_counts_of_items_and_attempts_return_to_zero_and_no_session_stays_open(ServerSelection selection)
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
                using var item = random.Next(2) == 0
                    ? set.Create((server, token) => Connect(server, unwanted, random, token), timeout, unwanted.Token)
                    : CreateAsynchronously(set, timeout, unwanted, random);
                Interlocked.Increment(ref created);
                Use(set, item, random);
            }
            catch (Exception failure)
                when (failure is IOException or OperationCanceledException or TimeoutException or NoServerAvailableException)
            {
                // One of the ways that a creation ends.
            }
        });

        // Late sessions are disposed in the background.
        Assert.True(
            SpinWait.SpinUntil(() => Volatile.Read(ref _sessions) == 0, TimeSpan.FromMinutes(1)), $"{_sessions} sessions stay open.");
        set.Replace(_all);
        var statistics = set.GetStatistics();
        Assert.All(statistics, each => Assert.Equal((0, 0), (each.Items, each.Creating)));
        Assert.Equal(_all, statistics.Select(each => each.Server));
        output.WriteLine($"{created:N0} created; {string.Join("; ", statistics)}");
    }

    // The session arrives on another thread, often at the moment at which its attempt is abandoned.
    private ServerItem<int, Session> CreateAsynchronously(
        ServerSet<int> set, TimeSpan timeout, CancellationTokenSource unwanted, Random random)
    {
        var chance = new Random(random.Next());
        var creation = set.CreateAsync(
            (server, token) => new ValueTask<Session>(
                Task.Run(() => Connect(server, unwanted, chance, token), CancellationToken.None)),
            timeout,
            unwanted.Token);
        return creation.AsTask().GetAwaiter().GetResult();
    }

    private Session Connect(int server, CancellationTokenSource unwanted, Random random, CancellationToken token)
    {
        switch (random.Next(server == 4 ? 16 : 8))
        {
            case 0:
                throw new IOException();
            case 1 when random.Next(4) == 0:
                // It does not answer until the timeout of the attempt or of the creation.
                token.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(random.Next(4)));
                token.ThrowIfCancellationRequested();
                return new Session(this);
            case 2 when random.Next(4) == 0:
                // It answers, or fails, after the timeout of the creation.
                token.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(3));
                return random.Next(2) == 0 ? new Session(this) : throw new OperationCanceledException(token);
            case 3 when random.Next(4) == 0:
                unwanted.Cancel();
                throw new OperationCanceledException(token);
            default:
                return new Session(this);
        }
    }

    private static void Use(ServerSet<int> set, ServerItem<int, Session> item, Random random)
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
                item.Detach().Dispose();
                break;
            case 4:
                item.Dispose();
                break;
            default:
                item.ShouldFailBack();
                break;
        }
    }

    /// <summary>An open session on a server.</summary>
    private sealed class Session : IDisposable
    {
        private readonly ServerSetStressTests _tests;
        private int _disposed;

        public Session(ServerSetStressTests tests)
        {
            _tests = tests;
            Interlocked.Increment(ref _tests._sessions);
        }

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _disposed, 1) == 0)
            {
                Interlocked.Decrement(ref _tests._sessions);
            }
        }
    }
}
