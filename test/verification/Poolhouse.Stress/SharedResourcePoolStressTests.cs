
namespace Poolhouse.Stress;

/// <summary>
/// Many callers on a few multiplexing clients of a real server that drops connections, while the pool is cleared and trimmed.
/// </summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class SharedResourcePoolStressTests(ITestOutputHelper output)
{
    private const int MaxClients = 4;
    private const int MaxUses = 2;

    private readonly StressRun _run = new(output);

    [Theory]
    [InlineData(SelectionStrategy.LeastOutstanding)]
    [InlineData(SelectionStrategy.RoundRobin)]
    [InlineData(SelectionStrategy.PowerOfTwoChoices)]
    public async Task Every_caller_gets_its_own_reply_and_all_counts_return_to_zero(SelectionStrategy selection)
    {
        using var server = new EchoServer();
        var policy = new ClientPolicy(server);
        var pool = new SharedResourcePool<EchoClient>(policy, new SharedResourcePoolOptions
        {
            Pool = new ResourcePoolOptions
            {
                MaxSize = MaxClients,
                RetryDelay = TimeSpan.FromMilliseconds(1),
                MaxLifetime = TimeSpan.FromSeconds(1),
            },
            MaxUsesPerItem = MaxUses,
            MaxActive = MaxClients - 1,
            Selection = selection,
        });
        var (answered, dropped) = (0L, 0L);

        _run.Run(8, random =>
        {
            switch (random.Next(500))
            {
                case 0:
                    pool.Clear();
                    break;
                case 1:
                    pool.Trim();
                    break;
                case 2:
                    server.DropOne();
                    break;
                default:
                    // The threads of the test block; they block on the asynchronous API of the pool.
                    var ended = UseAsync(pool, random).WaitAsync(TimeSpan.FromSeconds(30)).GetAwaiter().GetResult();
                    Interlocked.Add(ref ended ? ref answered : ref dropped, 1);
                    break;
            }

            Assert.InRange(pool.GetItemStatistics().Live, 0, MaxClients);
        });

        Assert.True(answered > 0, "No caller was answered.");
        var end = pool.GetStatistics();
        Assert.Equal((0, 0, end.Rented), (end.Leased, end.Waiting, end.Returned));
        Assert.All(pool.GetUses(), uses => Assert.Equal(0, uses));
        await pool.DrainAsync().WaitAsync(TimeSpan.FromSeconds(30));
        Assert.Equal((0, policy.Made), (pool.GetItemStatistics().Live, policy.Destroyed));
        output.WriteLine(
            $"{answered:N0} answered, {dropped:N0} dropped, {policy.Made:N0} clients, {server.MostConnections} connections at " +
            "once");
    }

    private static async Task<bool> UseAsync(SharedResourcePool<EchoClient> pool, Random random)
    {
        var number = random.NextInt64();
        using var lease = random.Next(2) == 0 || !pool.TryRent(out var at) ? await pool.RentAsync() : at;
        try
        {
            Assert.Equal(number, await lease.Value.EchoAsync(number));
            return true;
        }
        catch (IOException)
        {
            if (random.Next(2) == 0)
            {
                lease.Discard();
            }

            return false;
        }
    }

    private sealed class ClientPolicy(EchoServer server) : ResourcePolicy<EchoClient>
    {
        private long _made;
        private long _destroyed;

        public long Made => Volatile.Read(ref _made);

        public long Destroyed => Volatile.Read(ref _destroyed);

        public override async ValueTask<EchoClient> CreateAsync(CancellationToken cancellationToken)
        {
            var client = await EchoClient.ConnectAsync(server.Port, cancellationToken);
            Interlocked.Increment(ref _made);
            return client;
        }

        public override bool IsBroken(EchoClient item) => item.IsBroken;

        public override ValueTask DestroyAsync(EchoClient item, DestroyReason reason)
        {
            Interlocked.Increment(ref _destroyed);
            return base.DestroyAsync(item, reason);
        }
    }
}
