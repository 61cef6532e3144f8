using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Faults;

/// <summary>A server that hangs: libldap's own timeout does not hold then, the pool's deadlines do.</summary>
public sealed class FrozenServers
{
    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_caller_times_out_at_its_deadline_and_the_pool_recovers(DirectoryKind kind)
    {
        // Longer than the test: what ends in time does so on the clock of the pool, not on that of libldap.
        var (clock, patience) = (new ManualTimeProvider(), TimeSpan.FromMinutes(10));
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options =>
        {
            options.OperationTimeout = patience;
            options.Pool.MaxSize = 2;
            options.Pool.TimeProvider = options.VerifyPool.TimeProvider = clock;
            options.Pool.CreateTimeout = options.Pool.DestroyTimeout = options.Pool.RentTimeout = patience;
            options.VerifyPool.CreateTimeout = options.VerifyPool.DestroyTimeout = options.VerifyPool.RentTimeout = patience;
        });
        var token = TestContext.Current.CancellationToken;
        await Patience.UntilAsync(
            () => WhoAmIAsync(pool),
            static identity => string.Equals(identity, Entries.Identity, StringComparison.Ordinal), "the directory is reached");
        await Patience.UntilAsync(
            () => AnswerOfAsync(async () => await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token)),
            static answer => string.Equals(answer, bool.TrueString, StringComparison.Ordinal), "a password is verified");

        // A connection that is still being reset would not be there for the next caller.
        await Patience.UntilAsync(
            () => (pool.GetStatistics(), pool.GetVerifyStatistics()) is ({ Idle: > 0 }, { Idle: > 0 }), "the pools are at rest");

        directory.Freeze();
        var search = Record.ExceptionAsync(
            async () => await pool.SendAsync<SearchResponse>(DirectoryRequests.Everybody, token)).AsTask();
        var check = Record.ExceptionAsync(
            async () => await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token)).AsTask();
        await Patience.UntilAsync(
            async () => (
                Threads: pool.GetThreadStatistics(), Search: await OutcomeOfAsync(search), Check: await OutcomeOfAsync(check)),
            static reading => reading.Threads.Leased == 2, "both requests have a thread");
        clock.Advance(patience - TimeSpan.FromTicks(1));
        var early = search.IsCompleted || check.IsCompleted;
        await Patience.UntilAsync(
            () =>
            {
                // The time of a request starts when its thread does, perhaps only now.
                clock.Advance(patience);
                return search.IsCompleted && check.IsCompleted;
            },
            "both callers have an answer");
        Exception?[] failures = [await search, await check];
        directory.Thaw();

        Assert.Equal([85, 85], failures.Select(failure => Assert.IsType<LdapException>(failure).ErrorCode));
        Assert.False(early);
        await Patience.UntilAsync(
            () => WhoAmIAsync(pool),
            static identity => string.Equals(identity, Entries.Identity, StringComparison.Ordinal), "the pool works again");
        await Patience.UntilAsync(() => pool.GetThreadStatistics().AbandonedWorkers == 0, "no thread is stuck");
        await Patience.UntilAsync(
            async () => (await directory.IdentitiesAsync()).Count, count => count <= 2 + 2,
            "connections that were given up are closed");
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(null, 2)]
    public async Task A_request_that_got_no_thread_reports_that_and_keeps_its_connection(int? maxThreads, int threads)
    {
        var (clock, patience) = (new ManualTimeProvider(), TimeSpan.FromMinutes(10));
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => Set(options, maxSize: 1));

        // More connections, but not more threads.
        pool.Reconfigure(directory.Options(options => Set(options, maxSize: 3)));
        var token = TestContext.Current.CancellationToken;
        await Patience.WithinAsync(pool.WarmUpAsync(threads + 1, token));

        directory.Freeze();
        var sent = Task.WhenAll(Enumerable.Range(0, threads).Select(_ => SendAsync()));
        await Patience.UntilAsync(() => pool.GetThreadStatistics().Leased == threads, "the first requests have the threads");
        var queued = SendAsync();
        await Patience.UntilAsync(() => pool.GetThreadStatistics().Waiting == 1, "the last one waits for one");
        await Patience.UntilAsync(
            () =>
            {
                // The time of a request starts when its thread does, perhaps only now.
                clock.Advance(patience);
                return sent.IsCompleted && queued.IsCompleted;
            },
            "both callers have an answer");
        var failures = await sent;
        var failure = await queued;
        directory.Thaw();

        Assert.All(failures, static late => Assert.Equal(85, late.ErrorCode));
        Assert.All(
            failures,
            static late => Assert.StartsWith(
                "Pool 'people': the directory did not answer within", late.Message, StringComparison.Ordinal));
        Assert.Equal(85, failure.ErrorCode);
        Assert.Equal(
            $"Pool 'people': no thread was free within OperationTimeout (00:10:00), because all of MaxThreads ({threads}) are " +
            "inside calls. The request was not sent. Raise MaxThreads if the directory answers in time; otherwise check whether " +
            "the server hangs.",
            failure.Message);
        Assert.Equal(1, pool.GetStatistics().Idle);

        async Task<LdapException> SendAsync() =>
            Assert.IsType<LdapException>(await Record.ExceptionAsync(async () => await pool.WhoAmIAsync(token)));

        void Set(LdapPoolOptions options, int maxSize)
        {
            options.Pool.Name = "people";
            (options.OperationTimeout, options.MaxThreads, options.MaxStuckThreads) = (patience, maxThreads, 0);
            (options.Pool.MaxSize, options.VerifyPool.MaxSize) = (maxSize, 1);
            options.Pool.TimeProvider = options.VerifyPool.TimeProvider = clock;
            options.Pool.CreateTimeout = options.Pool.RentTimeout = options.Pool.DestroyTimeout = TimeSpan.FromDays(1);
            options.Pool.IdleTimeout = options.Pool.MaxLifetime = Timeout.InfiniteTimeSpan;
        }
    }

    [Fact]
    public async Task The_number_of_blocked_threads_stays_within_its_limit()
    {
        await using var directory = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var pool = directory.Pool(options =>
        {
            options.OperationTimeout = TimeSpan.FromMilliseconds(200);
            (options.MaxThreads, options.MaxStuckThreads) = (2, 1);
            options.Pool.MaxSize = 4;
            options.Pool.CreateTimeout = options.Pool.DestroyTimeout = TimeSpan.FromMilliseconds(200);
            options.Pool.RentTimeout = TimeSpan.FromMilliseconds(500);
        });
        var token = TestContext.Current.CancellationToken;
        await Patience.UntilAsync(
            () => WhoAmIAsync(pool),
            static identity => string.Equals(identity, Entries.Identity, StringComparison.Ordinal), "the pool works");

        directory.Freeze();
        for (var attempt = 0; attempt < 6; attempt++)
        {
            Assert.NotNull(await Patience.WithinAsync(Record.ExceptionAsync(async () => await pool.WhoAmIAsync(token)).AsTask()));
        }

        var stuck = pool.GetThreadStatistics();
        directory.Thaw();

        Assert.InRange(stuck.AbandonedWorkers + stuck.Workers, 1, 3);
        await Patience.UntilAsync(
            () => WhoAmIAsync(pool),
            static identity => string.Equals(identity, Entries.Identity, StringComparison.Ordinal), "the pool works again");
    }

    [Fact]
    public async Task An_awaited_disposal_ends_password_checks_at_once_while_a_connection_cannot_be_closed()
    {
        await using var directory = InProcessDirectory.Start();
        var pool = directory.Pool(options =>
            options.OperationTimeout = options.Pool.DestroyTimeout = TimeSpan.FromHours(1));
        var token = TestContext.Current.CancellationToken;
        await pool.WarmUpAsync(1, token);
        await Patience.UntilAsync(() => pool.GetThreadStatistics().Leased == 0, "no thread is at work");
        directory.Freeze();
        using var cancellation = new CancellationTokenSource();
        var asking = pool.WhoAmIAsync(cancellation.Token).AsTask();
        await Patience.UntilAsync(() => pool.GetThreadStatistics().Leased == 1, "the request has a thread");
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(asking));

        var disposing = pool.DisposeAsync().AsTask();
        try
        {
            Assert.False(disposing.IsCompleted);
            await Assert.ThrowsAsync<ObjectDisposedException>(
                () => Patience.WithinAsync(pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token).AsTask()));
        }
        finally
        {
            directory.Thaw();
        }

        await Patience.WithinAsync(disposing);
    }

    private static async Task<string> OutcomeOfAsync(Task<Exception?> request) =>
        request.IsCompleted ? $"ended: {await request}" : "waits";

    private static Task<string> WhoAmIAsync(LdapConnectionPool pool) =>
        AnswerOfAsync(async () => await pool.WhoAmIAsync(TestContext.Current.CancellationToken));

    private static async Task<string> AnswerOfAsync<T>(Func<Task<T>> ask)
    {
        try
        {
            return $"{await ask()}";
        }
        catch (Exception failure) when (failure is LdapException or TimeoutException)
        {
            return failure.Message;
        }
    }
}
