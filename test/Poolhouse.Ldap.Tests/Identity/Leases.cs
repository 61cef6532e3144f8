using System.DirectoryServices.Protocols;
using System.Net;
using System.Runtime.CompilerServices;
using Poolhouse.Ldap.Internal.Native;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.TestSupport;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Ldap.Tests.Identity;

/// <summary>Whatever the last user of a connection did, the next one is the service.</summary>
public sealed class Leases
{
    private static readonly NetworkCredential _ann = new(Entries.Ann, Entries.AnnPassword);
    private static readonly NetworkCredential _wrong = new(Entries.Ann, "wrong");

    public static TheoryData<DirectoryKind, string> Deeds => new MatrixTheoryData<DirectoryKind, string>(
        [DirectoryKind.InProcess, DirectoryKind.OpenLdap], [.. _deeds.Keys]);

    private static readonly Dictionary<string, Action<PooledLdapConnection>> _deeds = new(StringComparer.Ordinal)
    {
        ["nothing"] = _ => { },
        ["a search"] = connection => connection.SendRequest(DirectoryRequests.AnnAlone),
        ["a bind"] = connection => connection.Bind(_ann),
        ["a bind that fails"] = connection => Fails(() => connection.Bind(_wrong)),
        ["a credential and a bind"] = connection =>
        {
            connection.Credential = _ann;
            connection.Bind();
        },
        ["a credential for later"] = connection => connection.Credential = _ann,
        ["an anonymous bind"] = connection =>
        {
            connection.AuthType = AuthType.Anonymous;
            connection.Bind(null!);
        },
        ["a bind through the base class"] = connection => Fails(() => ((LdapConnection)connection).Bind(_ann)),
        ["a bind through the base class, made to work"] = connection =>
        {
            LdapConnection plain = connection;
            plain.AuthType = AuthType.Basic;
            plain.Bind(_ann);
        },
        ["a failing bind through the base class, made to work"] = connection =>
        {
            LdapConnection plain = connection;
            plain.AuthType = AuthType.Basic;
            Fails(() => plain.Bind(_wrong));
        },
        ["a bind through the base class without a trace in its settings"] = connection =>
        {
            LdapConnection plain = connection;
            plain.AuthType = AuthType.Basic;
            plain.Bind(_ann);
            plain.AuthType = PooledLdapConnection.Parked;
        },
        ["an anonymous bind through the base class"] = connection =>
        {
            LdapConnection plain = connection;
            plain.AuthType = AuthType.Anonymous;
            plain.Bind(null!);
            plain.AuthType = PooledLdapConnection.Parked;
        },
        ["automatic binds through the base class"] = connection =>
        {
            LdapConnection plain = connection;
            plain.AutoBind = true;
        },
        ["StartTLS"] = connection => Fails(() => connection.SessionOptions.StartTransportLayerSecurity(null)),
        ["a request that is not ended"] = connection =>
            connection.BeginSendRequest(
                DirectoryRequests.Everybody, PartialResultProcessing.NoPartialResultSupport, null!, null!),
        ["a request that is aborted"] = connection =>
            connection.Abort(
                connection.BeginSendRequest(
                    DirectoryRequests.Everybody, PartialResultProcessing.NoPartialResultSupport, null!, null!)),
        ["its own disposal"] = connection => connection.Dispose(),
    };

    [Theory]
    [MemberData(nameof(Deeds))]
    public async Task The_next_lease_is_bound_as_the_service(DirectoryKind kind, string deed)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);

        for (var round = 0; round < 3; round++)
        {
            using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
            {
                _deeds[deed](lease.Value);
            }

            using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
            Assert.Equal(Entries.Identity, next.Value.WhoAmI());
        }
    }

    [Theory]
    [InlineData("a bind", 1)]
    [InlineData("a bind that fails", 1)]
    [InlineData("a search", 0)]
    [InlineData("nothing", 0)]
    public async Task A_connection_is_bound_again_only_if_a_bind_was_attempted(string deed, int binds)
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);
        using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            directory.Server.ClearOperations();
            _deeds[deed](lease.Value);
        }

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);

        Assert.Equal(
            binds, directory.Server.GetOperations().Count(each => each.Kind == LdapTestOperationKind.Bind
                && !string.Equals(each.BoundDn, Entries.Service, StringComparison.Ordinal)));
        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Theory]
    [InlineData("StartTLS")]
    [InlineData("a request that is not ended")]
    [InlineData("a request that is aborted")]
    [InlineData("its own disposal")]
    public async Task A_connection_with_possibly_pending_replies_is_destroyed(string deed)
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);

        using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            _deeds[deed](lease.Value);
        }

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
        Assert.Equal((2, 1), (pool.GetStatistics().Created, pool.GetStatistics().DestroyedFor(DestroyReason.Broken)));
    }

    // As where a caller limits the time of a blocking call by waiting no longer for it.
    [Fact]
    public async Task A_connection_with_a_blocking_request_in_progress_is_destroyed()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 2);
        using var control = new HeldControl();
        var request = DirectoryRequests.AnnAlone;
        request.Controls.Add(control);
        var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        var connection = lease.Value;
        var sending = DirectoryRequests.OnThreadAsync(() => connection.SendRequest(request));
        await Patience.WithinAsync(control.Reached);

        lease.Dispose();

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
        control.Release();
        Assert.NotSame(connection, next.Value);
        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.Broken));
        Assert.Equal(ResultCode.Success, (await Patience.WithinAsync(sending)).ResultCode);
    }

    // The base class ends a request through any connection.
    [Fact]
    public async Task A_request_that_is_ended_through_another_connection_leaves_neither_for_reuse()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 2);
        using (var one = await pool.RentAsync(TestContext.Current.CancellationToken))
        using (var other = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            var response = other.Value.EndSendRequest(Begin(one.Value));
            Assert.Equal(ResultCode.Success, response.ResultCode);
            Begin(other.Value);
            Assert.True(one.Value.IsBroken && other.Value.IsBroken);
        }

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
        Assert.Equal((Entries.Identity, 3), (next.Value.WhoAmI(), pool.GetStatistics().Created));
    }

    [Fact]
    public async Task A_lost_request_that_is_ended_through_another_connection_is_a_loss_of_its_own_server()
    {
        await using var lost = InProcessDirectory.Start();
        await using var healthy = InProcessDirectory.Start();
        await using var one = lost.Pool();
        await using var other = healthy.Pool();
        using var began = await one.RentAsync(TestContext.Current.CancellationToken);
        using var ended = await other.RentAsync(TestContext.Current.CancellationToken);
        var idle = await other.RentAsync(TestContext.Current.CancellationToken);
        var kept = idle.Value;
        idle.Dispose();
        lost.Server.Faults.DropAfterOperations(0);
        var request = Begin(began.Value);

        Assert.ThrowsAny<DirectoryException>(() => ended.Value.EndSendRequest(request));

        using var next = await other.RentAsync(TestContext.Current.CancellationToken);
        Assert.Same(kept, next.Value);
    }

    [Fact]
    public async Task A_request_that_is_never_ended_does_not_keep_its_connection_alive()
    {
        await using var directory = InProcessDirectory.Start();
        var connection = await BeginAndForgetAsync(directory);

        await Patience.UntilAsync(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return !connection.IsAlive;
            },
            "the connection is collected");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_connection_whose_requests_have_been_ended_is_reused(bool byCallback)
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);
        for (var round = 0; round < 10; round++)
        {
            using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
            var connection = lease.Value;
            var ended = new TaskCompletionSource<DirectoryResponse>(TaskCreationOptions.RunContinuationsAsynchronously);
            var handle = connection.BeginSendRequest(
                DirectoryRequests.AnnAlone, PartialResultProcessing.NoPartialResultSupport,
                byCallback ? result => ended.SetResult(connection.EndSendRequest(result)) : null!, null!);
            if (!byCallback)
            {
                ended.SetResult(connection.EndSendRequest(handle));
            }

            Assert.Equal(ResultCode.Success, (await Patience.WithinAsync(ended.Task)).ResultCode);
            Assert.Throws<ArgumentException>(() => connection.EndSendRequest(handle));
        }

        Assert.Equal(1, pool.GetStatistics().Created);
    }

    // Ends only when the delayed answer comes: the base class passes libldap a timeout in another form than libldap reads, so the
    // wait for the first message is arbitrary. The answer has a second message, for which no time is left.
    [Fact]
    public async Task A_connection_on_which_a_request_timed_out_is_destroyed()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);

        using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            directory.Server.Faults.ResponseDelay = TimeSpan.FromSeconds(3);
            var failure =
                Assert.Throws<LdapException>(() => lease.Value.SendRequest(DirectoryRequests.AnnAlone, TimeSpan.FromSeconds(1)));
            Assert.Equal((85, true), (failure.ErrorCode, lease.Value.IsBroken));
            directory.Server.Faults.Clear();
        }

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
        Assert.Equal((2, Entries.Identity), (pool.GetStatistics().Created, next.Value.WhoAmI()));
    }

    [Fact]
    public async Task Harmless_settings_are_restored()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool =
            directory.Pool(options => (options.Pool.MaxSize, options.OperationTimeout) = (1, TimeSpan.FromSeconds(7)));

        using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            lease.Value.Timeout = TimeSpan.FromSeconds(1);
        }

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
        Assert.Equal((TimeSpan.FromSeconds(7), 1), (next.Value.Timeout, pool.GetStatistics().Created));
    }

    public static TheoryData<string> SessionChanges => [.. _sessionChanges.Keys];

    private static readonly Dictionary<string, Action<LdapSessionOptions>> _sessionChanges = new(StringComparer.Ordinal)
    {
        ["protocol version"] = session => session.ProtocolVersion = 2,
        ["referral chasing"] = session => session.ReferralChasing = ReferralChasingOptions.All,

        // On Linux, the base class passes the address of the text to libldap instead of the text. If its first byte is zero, that
        // changes nothing: the list of servers stays empty. Other addresses are refused.
        ["host"] = session =>
        {
            for (var length = 16; session.HostName is null; length += 16)
            {
                try
                {
                    session.HostName = new string('h', length);
                }
                catch (LdapException refused) when (refused.ErrorCode == 89)
                {
                    // The next text has another address.
                }
            }
        },
    };

    [Theory]
    [MemberData(nameof(SessionChanges))]
    public async Task Session_options_that_were_changed_through_the_base_class_do_not_reach_the_next_lease(string change)
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);

        string? host;
        using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            var changed = ((LdapConnection)lease.Value).SessionOptions;
            host = changed.HostName;
            _sessionChanges[change](changed);
        }

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
        var session = ((LdapConnection)next.Value).SessionOptions;
        Assert.Equal(
            (3, ReferralChasingOptions.None, 2),
            (session.ProtocolVersion, session.ReferralChasing, pool.GetStatistics().Created));
        Assert.Equal(host, session.HostName);
    }

    [Fact]
    public async Task A_rent_and_a_return_that_compare_session_options_allocate_nothing()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options =>
        {
            options.Pool.MaxSize = 1;
            options.Pool.TrackLeases = false; // The check of the whole run tracks leases, which allocates.
        });
        await pool.WarmUpAsync(1, TestContext.Current.CancellationToken);
        Assert.SkipUnless(
            OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(),
            "On Windows, the base class reads the options, and allocates a string.");

        var token = TestContext.Current.CancellationToken;
        var allocated = Allocated.By(() => pool.Rent(token).Dispose(), cycles: 100);

        Assert.Equal((0, 1), (allocated, pool.GetStatistics().Created));
    }

    [Fact]
    public async Task Session_options_that_were_only_read_through_the_base_class_keep_the_connection()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);

        using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            _ = ((LdapConnection)lease.Value).SessionOptions.ProtocolVersion;
        }

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_connection_that_lost_its_server_stays_unusable_also_through_the_base_class(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);
        using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        LdapConnection plain = lease.Value;

        await directory.RestartAsync();

        for (var attempt = 0; attempt < 5; attempt++)
        {
            Assert.Equal(
                81, Assert.Throws<LdapException>(
                    () => plain.SendRequest(DirectoryRequests.AnnAlone, TimeSpan.FromSeconds(5))).ErrorCode);
        }

        Assert.Throws<LdapException>(() => lease.Value.Bind(_ann));
    }

    public static TheoryData<DirectoryKind, bool> WaysToStayLost => new MatrixTheoryData<DirectoryKind, bool>(
        [DirectoryKind.InProcess, DirectoryKind.OpenLdap], [true, false]);

    // The pool uses the second way if it cannot get the handle of the native library.
    [Theory]
    [MemberData(nameof(WaysToStayLost))]
    public async Task A_connection_without_servers_or_with_an_address_that_leads_nowhere_does_not_reconnect(
        DirectoryKind kind, bool hasHandle)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has an option for it.");
        await using var directory = await TestDirectory.StartAsync(kind);
        using var connection = directory.Connect();

        LdapInternals.KeepFromReconnecting(
            connection, connection.SessionOptions, hasHandle ? LdapInternals.HandleOf(connection) : 0);
        Assert.Equal(hasHandle, connection.SessionOptions.HostName is null);
        await directory.RestartAsync();

        for (var attempt = 0; attempt < 5; attempt++)
        {
            Assert.Equal(
                81, Assert.Throws<LdapException>(
                    () => connection.SendRequest(DirectoryRequests.AnnAlone, TimeSpan.FromSeconds(5))).ErrorCode);
        }
    }

    private static void Fails(Action action) => Assert.ThrowsAny<Exception>(action);

    private static IAsyncResult Begin(PooledLdapConnection connection) => connection.BeginSendRequest(
        DirectoryRequests.AnnAlone, PartialResultProcessing.NoPartialResultSupport, null!, null!);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> BeginAndForgetAsync(InProcessDirectory directory)
    {
        await using var pool = directory.Pool();
        using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        Begin(lease.Value);
        return new WeakReference(lease.Value);
    }

    /// <summary>A control that keeps its request from being sent until it is released.</summary>
    private sealed class HeldControl() : DirectoryControl("1.3.6.1.4.1.4203.666.1", value: null, isCritical: false, serverSide: true),
        IDisposable
    {
        private readonly TaskCompletionSource _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _released = new();

        /// <summary>Completes when its request is being sent.</summary>
        public Task Reached => _reached.Task;

        public void Release() => _released.Set();

        public override byte[] GetValue()
        {
            _reached.TrySetResult();
            _released.Wait(Patience.Limit);
            return base.GetValue();
        }

        public void Dispose() => _released.Dispose();
    }
}
