using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;

namespace Poolhouse.Ldap.Tests.Operations;

public sealed class Paging
{
    [Theory]
    [InlineData(DirectoryKind.InProcess, 7)]
    [InlineData(DirectoryKind.OpenLdap, 7)]
    [InlineData(DirectoryKind.OpenLdap, 40)]
    [InlineData(DirectoryKind.OpenLdap, 1_000)]
    public async Task Every_entry_comes_once_over_one_lease(DirectoryKind kind, int pageSize)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool();
        var request = Asking.Everybody;
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
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task An_enumeration_that_ends_early_gives_a_clean_connection_back(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);
        var token = TestContext.Current.CancellationToken;

        for (var round = 0; round < 5; round++)
        {
            await foreach (var entry in pool.SearchPagedAsync(Asking.Everybody, 5, token))
            {
                break;
            }
        }

        var all = 0;
        await foreach (var entry in pool.SearchPagedAsync(Asking.Everybody, 5, token))
        {
            all++;
        }

        Assert.Equal((Entries.PeopleCount, 1, 0), (all, pool.GetStatistics().Created, pool.GetStatistics().Leased));
    }

    [Fact]
    public async Task An_enumeration_that_nobody_begins_rents_nothing()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();

        _ = pool.SearchPagedAsync(Asking.Everybody, 5, TestContext.Current.CancellationToken);

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
            await foreach (var entry in pool.SearchPagedAsync(Asking.Everybody, 5, patience.Token))
            {
                await patience.CancelAsync();
            }
        });

        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public async Task A_search_that_pages_by_itself_is_refused()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();
        var request = Asking.Everybody;
        request.Controls.Add(new PageResultRequestControl(5));

        Assert.Throws<ArgumentException>(() => pool.SearchPagedAsync(request, 5, TestContext.Current.CancellationToken));
        Assert.Throws<ArgumentOutOfRangeException>(() => pool.SearchPagedAsync(Asking.Everybody, 0, TestContext.Current.CancellationToken));
    }
}
