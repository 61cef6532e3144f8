using System.DirectoryServices.Protocols;
using System.Net;
using System.Net.Sockets;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Servers;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Faults;

/// <summary>What a validation reports when it ends without an answer.</summary>
public sealed class WaitsForThreads : IDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly ManualResetEventSlim _release = new();
    private readonly LdapPoolOptions _options;
    private readonly LdapThreads _threads;

    public WaitsForThreads()
    {
        TestDirectory.SkipWithoutLibrary();
        var options = new LdapPoolOptions { Servers = ["127.0.0.1:1"], MaxThreads = 1 };
        options.Pool.TimeProvider = options.VerifyPool.TimeProvider = options.ServerSet.TimeProvider = _clock;
        _options = options.Freeze();
        _threads = new LdapThreads(_options);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_validation_that_got_no_thread_does_not_report_its_server_as_lost(bool isCancelled)
    {
        using var cancellation = new CancellationTokenSource();
        var loss = new ServerLoss(_clock);
        using var connection = Connection(port: 1, loss);
        var policy = Policy();
        var occupying = await OccupyThreadAsync();
        var validating = policy.ValidateAsync(connection, default, cancellation.Token).AsTask();
        if (isCancelled)
        {
            await cancellation.CancelAsync();
        }
        else
        {
            _clock.Advance(_options.VerifyPool.ValidateTimeout);
        }

        var failure = await Record.ExceptionAsync(() => Patience.WithinAsync(validating));
        Assert.True(failure is TimeoutException or OperationCanceledException, $"{failure}");
        Assert.Equal(long.MinValue, loss.LostAt);
        Assert.True(connection.IsBroken);
        _release.Set();
        await Patience.WithinAsync(occupying);
    }

    // A server that is lost is left by all of its connections, and it may be the only one.
    [Theory]
    [InlineData(0.0, true)]
    [InlineData(0.4, true)]
    [InlineData(0.6, false)]
    public async Task A_validation_reports_its_server_as_lost_if_it_had_half_of_its_time_to_answer(double waited, bool isLost)
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        using var cancellation = new CancellationTokenSource();
        var loss = new ServerLoss(_clock);
        using var connection = Connection(((IPEndPoint)silent.LocalEndpoint).Port, loss);
        var policy = Policy();
        var occupying = await OccupyThreadAsync();
        var validating = policy.ValidateAsync(connection, default, cancellation.Token).AsTask();
        _clock.Advance(_options.VerifyPool.ValidateTimeout * waited);
        _release.Set();
        await Patience.WithinAsync(occupying);
        using var asked = await silent.AcceptTcpClientAsync(Token);
        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(validating));
        Assert.Equal(isLost, loss.LostAt != long.MinValue);
        Assert.True(connection.IsBroken);
    }

    public void Dispose()
    {
        _release.Set();
        _threads.Dispose();
        _release.Dispose();
    }

    private static PooledLdapConnection Connection(int port, ServerLoss loss) => new(
        new LdapDirectoryIdentifier("127.0.0.1", port), new LdapServer("127.0.0.1", port), AuthType.Anonymous, loss,
        LdapSecurity.None, parks: false);

    private VerifyConnectionPolicy Policy() =>
        new(new LdapOpener(_options), _threads, new LdapServers(_options, _threads), _options);

    /// <summary>Runs a call on the only thread until the test ends it.</summary>
    private async Task<Task> OccupyThreadAsync()
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var call = new LdapCall<bool>(
            () =>
            {
                begun.SetResult();
                return _release.Wait(Patience.Limit);
            },
            onLate: null);
        var running = _threads.RunAsync(call, TimeSpan.FromDays(1), "occupy", Token).AsTask();
        await Patience.WithinAsync(begun.Task);
        return running;
    }
}
