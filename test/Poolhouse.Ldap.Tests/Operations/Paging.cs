using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Ldap.Tests.Operations;

public sealed class Paging
{
    [Theory]
    [InlineData(DirectoryKind.InProcess, 7)]
    [InlineData(DirectoryKind.OpenLdap, 7)]
    [InlineData(DirectoryKind.OpenLdap, 40)]
    [InlineData(DirectoryKind.OpenLdap, 1_000)]
    public async Task Every_entry_is_returned_once_over_one_lease(DirectoryKind kind, int pageSize)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool();
        var request = DirectoryRequests.Everybody;
        var names = new List<string>();
        var leases = new HashSet<long>();

        await foreach (var entry in pool.SearchPagedAsync(request, pageSize, TestContext.Current.CancellationToken))
        {
            names.Add(entry.DistinguishedName);
            leases.Add(pool.GetStatistics().Leased);
        }

        Assert.Equal((Entries.PeopleCount, Entries.PeopleCount), (names.Count, names.Distinct(StringComparer.Ordinal).Count()));
        Assert.Equal([1], leases);
        Assert.Equal((1, 0, 0), (pool.GetStatistics().Rented, pool.GetStatistics().Leased, request.Controls.Count));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_enumeration_continues_after_the_disposal_of_the_pool_and_the_threads_end_after_it(bool isAwaited)
    {
        await using var directory = InProcessDirectory.Start();

        // Threads do not end because they are idle.
        await using var pool = directory.Pool(options => options.Pool.TimeProvider = new ManualTimeProvider());
        var all = 0;

        await foreach (var entry in pool.SearchPagedAsync(DirectoryRequests.Everybody, 5, TestContext.Current.CancellationToken))
        {
            if (++all == 1 && isAwaited)
            {
                await pool.DisposeAsync();
            }
            else if (all == 1)
            {
                pool.Dispose();
            }
        }

        Assert.Equal((Entries.PeopleCount, 0), (all, pool.GetStatistics().Leased));
        await Patience.UntilAsync(() => pool.GetThreadStatistics().Workers == 0, "the threads have ended");
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task An_enumeration_that_ends_early_returns_a_clean_connection(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);
        var token = TestContext.Current.CancellationToken;

        for (var round = 0; round < 5; round++)
        {
            await foreach (var entry in pool.SearchPagedAsync(DirectoryRequests.Everybody, 5, token))
            {
                break;
            }
        }

        var all = 0;
        await foreach (var entry in pool.SearchPagedAsync(DirectoryRequests.Everybody, 5, token))
        {
            all++;
        }

        Assert.Equal((Entries.PeopleCount, 1, 0), (all, pool.GetStatistics().Created, pool.GetStatistics().Leased));
    }

    // The server gives one cookie with each page and takes it once: the one that fetched the current page is spent.
    [Theory]
    [InlineData(DirectoryKind.InProcess, 1)]
    [InlineData(DirectoryKind.InProcess, 5)]
    [InlineData(DirectoryKind.InProcess, 6)]
    [InlineData(DirectoryKind.InProcess, 14)]
    [InlineData(DirectoryKind.OpenLdap, 1)]
    [InlineData(DirectoryKind.OpenLdap, 5)]
    [InlineData(DirectoryKind.OpenLdap, 6)]
    [InlineData(DirectoryKind.OpenLdap, 14)]
    public async Task An_enumeration_that_ends_after_any_entry_keeps_its_connection(DirectoryKind kind, int entries)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(
            options => (options.Pool.MaxSize, options.Pool.ValidateAfterIdle) = (1, Timeout.InfiniteTimeSpan));
        var token = TestContext.Current.CancellationToken;

        for (var round = 0; round < 3; round++)
        {
            (directory as InProcessDirectory)?.Server.ClearOperations();
            Assert.Equal(entries, await ReadAsync(pool.SearchPagedAsync(DirectoryRequests.Everybody, 5, token), entries));
            if (directory is InProcessDirectory own)
            {
                // The pages that were read, and the message that no more are wanted.
                var searches = own.Server.GetOperations().Count(each => each.Kind == LdapTestOperationKind.Search);
                Assert.Equal(((entries + 4) / 5) + 1, searches);
            }
        }

        Assert.Equal((1, 0), (pool.GetStatistics().Created, pool.GetStatistics().Leased));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task Every_enumeration_of_a_search_starts_with_its_first_page(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool();
        var search = pool.SearchPagedAsync(DirectoryRequests.Everybody, 7, TestContext.Current.CancellationToken);

        var part = await ReadAsync(search, 10);
        var first = await ReadAsync(search);
        var second = await ReadAsync(search);

        Assert.Equal((10, Entries.PeopleCount, Entries.PeopleCount), (part, first, second));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task Enumerations_of_one_search_at_the_same_time_do_not_affect_each_other(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool();
        var search = pool.SearchPagedAsync(DirectoryRequests.Everybody, 3, TestContext.Current.CancellationToken);

        await using var one = search.GetAsyncEnumerator(TestContext.Current.CancellationToken);
        await using var other = search.GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var (ones, others) = (0, 0);
        for (var entry = 0; entry < Entries.PeopleCount + 1; entry++)
        {
            ones += await one.MoveNextAsync() ? 1 : 0;
            others += await other.MoveNextAsync() ? 1 : 0;
        }

        Assert.Equal((Entries.PeopleCount, Entries.PeopleCount), (ones, others));
    }

    [Fact]
    public async Task An_enumeration_that_is_cancelled_inside_a_page_ends_there_and_destroys_its_connection()
    {
        await using var directory = await OpenLdapDirectory.StartAsync();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);
        using var patience = new CancellationTokenSource();
        var seen = 0;

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var entry in pool.SearchPagedAsync(
                DirectoryRequests.Everybody, 10, TestContext.Current.CancellationToken).WithCancellation(patience.Token))
            {
                if (++seen == 13)
                {
                    await patience.CancelAsync();
                }
            }
        });

        var all = await ReadAsync(pool.SearchPagedAsync(DirectoryRequests.Everybody, 10, TestContext.Current.CancellationToken));
        Assert.Equal((13, Entries.PeopleCount, 2), (seen, all, pool.GetStatistics().Created));
    }

    [Fact]
    public async Task An_enumeration_that_is_cancelled_while_the_server_hangs_ends_at_once()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.OperationTimeout = TimeSpan.FromHours(1));
        using var patience = new CancellationTokenSource();
        var seen = 0;

        var reading = Record.ExceptionAsync(async () =>
        {
            await foreach (var entry in pool.SearchPagedAsync(DirectoryRequests.Everybody, 5, patience.Token))
            {
                if (++seen == 3)
                {
                    directory.Freeze();
                    await patience.CancelAsync();
                }
            }
        });
        try
        {
            Assert.IsAssignableFrom<OperationCanceledException>(await Patience.WithinAsync(reading.AsTask()));
        }
        finally
        {
            directory.Thaw();
        }

        Assert.Equal((3, 0), (seen, pool.GetStatistics().Leased));
    }

    private static async Task<int> ReadAsync(IAsyncEnumerable<SearchResultEntry> search, int limit = int.MaxValue)
    {
        var count = 0;
        await foreach (var entry in search)
        {
            if (++count == limit)
            {
                break;
            }
        }

        return count;
    }

    [Fact]
    public async Task An_enumeration_that_is_never_started_rents_nothing()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();

        _ = pool.SearchPagedAsync(DirectoryRequests.Everybody, 5, TestContext.Current.CancellationToken);

        Assert.Equal(0, pool.GetStatistics().Rented);
    }

    [Fact]
    public async Task A_cancelled_enumeration_ends_its_lease()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();
        using var patience = new CancellationTokenSource();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var entry in pool.SearchPagedAsync(DirectoryRequests.Everybody, 5, patience.Token))
            {
                await patience.CancelAsync();
            }
        });

        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public async Task A_search_with_its_own_page_control_is_rejected()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();
        var request = DirectoryRequests.Everybody;
        request.Controls.Add(new PageResultRequestControl(5));

        Assert.Throws<ArgumentException>(() => pool.SearchPagedAsync(request, 5, TestContext.Current.CancellationToken));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => pool.SearchPagedAsync(DirectoryRequests.Everybody, 0, TestContext.Current.CancellationToken));
    }
}
