using System.Net.Sockets;
using Poolhouse.Testing;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

public sealed class InjectedFaults : IAsyncDisposable
{
    private static readonly TimeSpan _delay = TimeSpan.FromMinutes(5);

    private readonly ManualTimeProvider _clock = new();
    private readonly LdapTestServer _server;

    public InjectedFaults() => _server = Country.Start(new LdapTestServerOptions { TimeProvider = _clock });

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Fact]
    public async Task A_delayed_answer_arrives_after_its_delay()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        _server.Faults.ResponseDelay = _delay;

        var asking = client.AskAsync(RawRequest.WhoAmI(2));
        await UntilArmedAsync();
        _clock.Advance(_delay - TimeSpan.FromTicks(1));
        Assert.Equal(1, _clock.ArmedTimers);
        Assert.False(asking.IsCompleted);
        _clock.Advance(TimeSpan.FromTicks(1));

        Assert.Equal((2, LdapTestResultCode.Success), ((await asking).Id, (await asking).Code));
    }

    [Fact]
    public async Task An_abandoned_search_is_neither_executed_nor_answered()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        _server.Faults.ResponseDelay = _delay;
        await client.SendAsync(RawRequest.Search(2));
        await UntilArmedAsync();

        await client.SendAsync(RawRequest.Abandon(3, abandoned: 2));
        await Patience.UntilAsync(() => _clock.ArmedTimers == 0);
        _server.Faults.Clear();
        var next = await client.AskAsync(RawRequest.WhoAmI(4));

        Assert.Equal(4, next.Id);
        Assert.DoesNotContain(_server.GetOperations(), operation => operation.Kind == LdapTestOperationKind.Search);
    }

    [Fact]
    public async Task A_slow_bind_delays_no_other_operation()
    {
        _server.Faults.BindDelay = _delay;
        using var slow = await RawClient.ConnectAsync(_server);
        using var quick = await RawClient.ConnectAsync(_server);

        var binding = slow.AskAsync(RawRequest.Bind(1, Country.Ann, Country.AnnPassword));
        var asked = await quick.AskAsync(RawRequest.WhoAmI(1));
        await UntilArmedAsync();
        _clock.Advance(_delay);

        Assert.Equal(LdapTestResultCode.Success, asked.Code);
        Assert.Equal(LdapTestResultCode.Success, (await binding).Code);
    }

    [Fact]
    public async Task Binds_are_rejected_with_the_configured_code_and_leave_the_connection_anonymous()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        _server.Faults.RefuseBinds(LdapTestResultCode.Busy);

        var refused = await client.AskAsync(RawRequest.Bind(2, Country.Service, Country.ServicePassword));
        var identity = Assert.Single(_server.GetConnections()).BoundDn;
        _server.Faults.AcceptBinds();
        var accepted = await client.AskAsync(RawRequest.Bind(3, Country.Service, Country.ServicePassword));

        Assert.Equal((LdapTestResultCode.Busy, "", LdapTestResultCode.Success), (refused.Code, identity, accepted.Code));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_idle_connection_is_closed_with_or_without_a_notice(bool notice)
    {
        _server.Faults.IdleNotice = notice;
        using var client = await RawClient.ConnectAndBindAsync(_server);
        _server.Faults.IdleTimeout = _delay;

        _clock.Advance(_delay - TimeSpan.FromTicks(1));
        var asked = await client.AskAsync(RawRequest.WhoAmI(2));
        await Patience.UntilAsync(() => _server.GetOperations()[^1].Result is not null && _clock.ArmedTimers == 1);
        await IdleForAsync(client);
        var replies = await client.ReceiveToEndAsync();

        Assert.Equal(LdapTestResultCode.Success, asked.Code);
        Assert.Equal(
            notice ? [LdapTestResultCode.Unavailable] : [], replies.Where(reply => reply.IsNotice).Select(reply => reply.Code));
        Assert.Equal(0, await EndOfConnectionsAsync());
    }

    [Fact]
    public async Task A_connection_with_a_pending_operation_is_not_idle()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        _server.Faults.IdleTimeout = _delay;
        _server.Faults.ResponseDelay = 3 * _delay;

        var asking = client.AskAsync(RawRequest.WhoAmI(2));
        await Patience.UntilAsync(() => _clock.ArmedTimers == 2);
        _clock.Advance(3 * _delay);

        Assert.Equal(LdapTestResultCode.Success, (await asking).Code);
    }

    [Fact]
    public async Task A_silent_server_accepts_everything_and_answers_when_it_resumes()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        _server.Faults.HalfOpen = true;

        using var later = await RawClient.ConnectAsync(_server);
        var binding = later.AskAsync(RawRequest.Bind(1, Country.Ann, Country.AnnPassword));
        var asking = client.AskAsync(RawRequest.WhoAmI(2));
        await Patience.UntilAsync(() => _server.Connections == 2);
        var operations = _server.OperationCount;
        _server.Faults.HalfOpen = false;

        Assert.Equal(1, operations);
        Assert.Equal(LdapTestResultCode.Success, (await binding).Code);
        Assert.Equal(LdapTestResultCode.Success, (await asking).Code);
    }

    [Fact]
    public async Task The_connection_is_dropped_once_after_the_configured_number_of_operations()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        _server.Faults.DropAfterOperations(2);

        var (first, second) = (await client.AskAsync(RawRequest.WhoAmI(2)), await client.AskAsync(RawRequest.WhoAmI(3)));
        await client.SendAsync(RawRequest.WhoAmI(4));
        var third = await client.ReceiveAsync();
        using var next = await RawClient.ConnectAndBindAsync(_server);

        Assert.Equal((2, 3, null), (first.Id, second.Id, third));
        Assert.Equal(LdapTestResultCode.Success, (await next.AskAsync(RawRequest.WhoAmI(2))).Code);
    }

    [Fact]
    public async Task Refused_connections_do_not_affect_others()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        _server.Faults.RefuseConnections = true;

        var refused = await Assert.ThrowsAsync<SocketException>(() => RawClient.ConnectAsync(_server));
        var asked = await client.AskAsync(RawRequest.WhoAmI(2));
        _server.Faults.Clear();
        using var next = await RawClient.ConnectAndBindAsync(_server);

        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        Assert.Equal(LdapTestResultCode.Success, asked.Code);
    }

    [Fact]
    public async Task A_stopped_server_restarts_on_its_port_with_its_directory()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        var port = _server.Port;

        _server.Stop();
        var connections = _server.Connections;
        var lost = await client.ReceiveAsync();
        await Assert.ThrowsAsync<SocketException>(() => RawClient.ConnectAsync(_server));
        _server.Restart();
        using var next = await RawClient.ConnectAndBindAsync(_server);

        Assert.Equal((0, port, null), (connections, _server.Port, lost));
        Assert.Equal(2, _server.ConnectionsAccepted);
    }

    [Fact]
    public async Task Dropped_connections_end_at_once_and_new_ones_are_accepted()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);

        _server.DropConnections();

        Assert.Equal(0, _server.Connections);
        Assert.Null(await client.ReceiveAsync());
        using var next = await RawClient.ConnectAndBindAsync(_server);
        Assert.Equal((1, 1, 2), (_server.Connections, _server.PeakConnections, _server.ConnectionsAccepted));
    }

    [Fact]
    public async Task Disposal_ends_everything_however_silent_or_slow_the_server_is()
    {
        var server = Country.Start(new LdapTestServerOptions { TimeProvider = _clock });
        using var client = await RawClient.ConnectAndBindAsync(server);
        server.Faults.ResponseDelay = _delay;
        server.Faults.HalfOpen = true;
        await client.SendAsync(RawRequest.WhoAmI(2));

        await server.DisposeAsync().AsTask().WaitAsync(Patience.Time);

        Assert.Null(await client.ReceiveAsync());
        Assert.Throws<ObjectDisposedException>(server.Restart);
    }

    private Task UntilArmedAsync() => Patience.UntilAsync(() => _clock.ArmedTimers == 1);

    // The timer is set again a moment after the answer: an advance that comes too early moves its end.
    private async Task IdleForAsync(RawClient client)
    {
        Assert.Equal(1, _server.Connections);
        await client.SendAsync(ReadOnlyMemory<byte>.Empty);
        await Patience.UntilAsync(() =>
        {
            _clock.Advance(_delay);
            return _server.Connections == 0;
        });
    }

    private async Task<int> EndOfConnectionsAsync()
    {
        await Patience.UntilAsync(() => _server.Connections == 0);
        return _server.Connections;
    }
}
