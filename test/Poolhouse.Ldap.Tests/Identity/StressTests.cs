using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Ldap.Tests.Servers;

namespace Poolhouse.Ldap.Tests.Identity;

/// <summary>All operations at once, with a restart of the server: every leased connection is bound as the service.</summary>
public sealed class StressTests
{
    private const int Callers = 8;
    private const int LengthInMilliseconds = 4_000;

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task No_caller_gets_another_identity_and_the_connection_limit_holds(DirectoryKind kind)
    {
        var seed =
            Environment.GetEnvironmentVariable("POOLHOUSE_SEED") is { } given ? int.Parse(given, null) : Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed} (POOLHOUSE_SEED)");
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.OperationTimeout = TimeSpan.FromSeconds(10));
        using var end = new CancellationTokenSource();
        var tally = new Tally();
        var length = Patience.PauseAsync(LengthInMilliseconds);

        var callers = Enumerable.Range(0, Callers)
            .Select(number => Task.Run(() => CallAsync(pool, new Random(seed + number), tally, end.Token))).ToList();
        var watching = WatchAsync(directory, tally, end.Token);
        try
        {
            await Patience.PauseAsync(1_500);
            await directory.RestartAsync();
            await length;

            // On a busy machine, that was too short for some of it.
            await Patience.UntilAsync(() => tally.Asked > 50, "more than 50 leases are asked who they are");
            await Patience.UntilAsync(
                () => tally.PeakConnections > 0 || !OpenConnections.CanCount, "the connections are counted");
        }
        finally
        {
            await end.CancelAsync();
        }

        await Patience.WithinAsync(Task.WhenAll([.. callers, watching]));

        Assert.Equal([], tally.Strangers);
        if (OpenConnections.CanCount)
        {
            Assert.InRange(tally.PeakConnections, 1, 4 + 2);
        }

        Assert.True(await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, TestContext.Current.CancellationToken));
        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(TestContext.Current.CancellationToken));
    }

    private static async Task CallAsync(LdapConnectionPool pool, Random random, Tally tally, CancellationToken end)
    {
        while (!end.IsCancellationRequested)
        {
            try
            {
                await ActAsync(pool, random, tally);
            }
            catch (Exception expected)
                when (expected is LdapException or DirectoryOperationException or OperationCanceledException or TimeoutException)
            {
                // The server was away, or the caller gave up.
            }
        }
    }

    private static async Task ActAsync(LdapConnectionPool pool, Random random, Tally tally)
    {
        using var patience = new CancellationTokenSource(
            TimeSpan.FromMilliseconds(random.Next(4) == 0 ? random.NextDouble() * 2 : 10_000), TimeProvider.System);
        switch (random.Next(7))
        {
            case 0:
                await pool.SendAsync<SearchResponse>(DirectoryRequests.Everybody, patience.Token);
                break;
            case 1:
                await pool.AuthenticateAsync(Entries.Ann, random.Next(2) == 0 ? Entries.AnnPassword : "wrong", patience.Token);
                break;
            case 2:
                await foreach (var entry in pool.SearchPagedAsync(DirectoryRequests.Everybody, 7, patience.Token))
                {
                    if (random.Next(15) == 0)
                    {
                        break;
                    }
                }

                break;
            default:
                await UseAsync(pool, random, tally, patience.Token);
                break;
        }
    }

    private static async Task UseAsync(LdapConnectionPool pool, Random random, Tally tally, CancellationToken patience)
    {
        using var lease = await pool.RentAsync(patience);
        await DirectoryRequests.OnThreadAsync(() =>
        {
            tally.Add(lease.Value.WhoAmI());
            LdapConnection plain = lease.Value;
            switch (random.Next(5))
            {
                case 0:
                    lease.Value.Bind(new NetworkCredential(Entries.Ann, Entries.AnnPassword));
                    break;
                case 1:
                    lease.Value.Bind(new NetworkCredential(Entries.Ann, "wrong"));
                    break;
                case 2:
                    plain.AuthType = AuthType.Basic;
                    plain.Bind(new NetworkCredential(Entries.Ann, random.Next(2) == 0 ? "wrong" : Entries.AnnPassword));
                    break;
                case 3:
                    plain.SendRequest(DirectoryRequests.AnnAlone, TimeSpan.FromSeconds(10));
                    break;
                default:
                    break;
            }

            return true;
        });
    }

    private static async Task WatchAsync(TestDirectory directory, Tally tally, CancellationToken end)
    {
        while (!end.IsCancellationRequested)
        {
            tally.PeakConnections = Math.Max(tally.PeakConnections, await CountAsync(directory, end));
        }
    }

    // The kernel's table is read in parts, while connections come and go: one that came after another had gone may be counted
    // beside it, but not in each of several looks.
    private static async Task<int> CountAsync(TestDirectory directory, CancellationToken end)
    {
        var least = int.MaxValue;
        for (var look = 0; look < 4; look++)
        {
            if (end.IsCancellationRequested)
            {
                return 0; // Too few looks to tell.
            }

            least = Math.Min(least, OpenConnections.To(directory.Port));
            await Patience.PauseAsync(5);
        }

        return least;
    }

    private sealed class Tally
    {
        private readonly Lock _gate = new();
        private readonly HashSet<string> _strangers = [];

        public int Asked { get; private set; }

        public int PeakConnections { get; set; }

        public IReadOnlyCollection<string> Strangers => _strangers;

        public void Add(string identity)
        {
            lock (_gate)
            {
                Asked++;
                if (!string.Equals(identity, Entries.Identity, StringComparison.Ordinal))
                {
                    _strangers.Add(identity);
                }
            }
        }
    }
}
