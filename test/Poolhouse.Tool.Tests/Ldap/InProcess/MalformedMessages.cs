using System.Globalization;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

public sealed class MalformedMessages : IAsyncDisposable
{
    private const int MaxMessageSize = 64 * 1024;

    private readonly LdapTestServer _server = Country.Start(
        new LdapTestServerOptions { MaxMessageSize = MaxMessageSize, MaxFilterDepth = 20 });

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    public static TheoryData<string, byte[]> Messages => new()
    {
        { "not BER", "GET / HTTP/1.1\r\n\r\n"u8.ToArray() },
        { "an indefinite length", [0x30, 0x80, 0x02, 0x01, 0x01, 0x42, 0x00, 0x00, 0x00] },
        { "a length of five bytes", [0x30, 0x85, 0x00, 0x00, 0x00, 0x00, 0x00] },
        { "a length beyond the limit", [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF] },
        { "a length beyond all numbers", [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] },
        { "nothing in it", [0x30, 0x00] },
        { "no operation", [0x30, 0x03, 0x02, 0x01, 0x01] },
        { "message id 0", RawRequest.WhoAmI(0) },
        { "a negative message id", [0x30, 0x05, 0x02, 0x01, 0xFF, 0x42, 0x00] },
        { "a huge message id", [0x30, 0x09, 0x02, 0x05, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0x42, 0x00] },
        { "an unknown operation", RawRequest.Message(1, 29, _ => { }) },
        { "an answer instead of a request", RawRequest.Message(1, 5, _ => { }) },
        { "an empty bind", RawRequest.Message(1, 0, _ => { }) },
        { "an empty search", RawRequest.Message(1, 3, _ => { }) },
        { "an unknown scope", RawRequest.Search(1, scope: 9) },
        { "an unknown filter", RawRequest.Search(1, filter: RawRequest.Combine(13)) },
        { "a filter that is too deep", RawRequest.Search(1, filter: Nested(21)) },
        { "an unknown change", RawRequest.Modify(1, Country.Ann, 7, "cn", "x") },
    };

    [Theory]
    [MemberData(nameof(Messages), DisableDiscoveryEnumeration = true)]
    public async Task A_malformed_message_ends_only_its_connection_with_a_notice(string what, byte[] message)
    {
        using var other = await RawClient.ConnectAndBindAsync(_server);
        using var client = await RawClient.ConnectAsync(_server);

        await client.SendAsync(message);
        var replies = await client.ReceiveToEndAsync();

        Assert.True(
            replies is [{ IsNotice: true, Code: LdapTestResultCode.ProtocolError }], $"{what}: {string.Join(", ", replies)}");
        Assert.Equal(LdapTestResultCode.Success, (await other.AskAsync(RawRequest.WhoAmI(2))).Code);
    }

    [Fact]
    public async Task A_filter_as_deep_as_allowed_is_searched()
    {
        using var client = await RawClient.ConnectAsync(_server);

        var reply = await client.AskAsync(RawRequest.Search(1, filter: Nested(20)));

        Assert.Equal(1, reply.Id);
    }

    [Fact]
    public async Task A_message_as_long_as_allowed_is_read_however_slowly_it_arrives()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server);
        var frame = RawRequest.Add(2, "cn=x," + Country.Base, ("objectClass", "device"), ("description", "")).Length;
        var message = RawRequest.Add(
            2, "cn=x," + Country.Base, ("objectClass", "device"), ("description", new string('x', MaxMessageSize - frame - 12)));
        Assert.InRange(message.Length, MaxMessageSize - 16, MaxMessageSize);

        foreach (var part in message.Chunk(1000))
        {
            await client.SendAsync(part);
        }

        Assert.Equal(LdapTestResultCode.Success, (await client.ReceiveAsync())!.Code);
    }

    [Fact]
    public async Task A_truncated_message_does_not_affect_other_clients()
    {
        using (var client = await RawClient.ConnectAsync(_server))
        {
            await client.SendAsync(RawRequest.Search(1).AsMemory(0, 10));
        }

        await Patience.UntilAsync(() => _server.ConnectionsAccepted == 1 && _server.Connections == 0);
        using var other = await RawClient.ConnectAndBindAsync(_server);
    }

    // Prints its seed when it fails; put it into the code to see that run again.
    [Fact]
    public async Task Mutated_messages_never_break_the_server()
    {
        const int Rounds = 1500;
        var seed = Random.Shared.Next();
        var random = new Random(seed);
        byte[][] samples =
        [
            RawRequest.Bind(1, Country.Ann, Country.AnnPassword),
            RawRequest.Search(2, filter: RawRequest.Combine(0, RawRequest.Present("cn"), RawRequest.Assert(3, "uid", "ann"))),
            RawRequest.Search(3, pagedResults: [0x30, 0x05, 0x02, 0x01, 0x02, 0x04, 0x00]),
            RawRequest.Search(4, filter: RawRequest.Combine(2, RawRequest.Assert(5, "employeeNumber", "3"))),
            RawRequest.Add(5, "cn=x," + Country.Base, ("objectClass", "device"), ("cn", "x")),
            RawRequest.Modify(6, Country.Ann, 2, "title", "x"),
            RawRequest.WhoAmI(7),
            RawRequest.Abandon(8, 2),
        ];
        try
        {
            for (var round = 0; round < Rounds; round++)
            {
                await SendMutatedAsync(random, samples);
            }

            using var other = await RawClient.ConnectAndBindAsync(_server);
            Assert.Equal("dc=example,dc=org", (await other.AskAsync(RawRequest.Search(2, scope: 0))).Text);

            // An unexpected failure of a connection is thrown here.
            await _server.DisposeAsync().AsTask().WaitAsync(Patience.Time);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture, $"Seed {seed}."), e);
        }
    }

    private async Task SendMutatedAsync(Random random, byte[][] samples)
    {
        var message = (byte[])samples[random.Next(samples.Length)].Clone();
        for (var changes = random.Next(1, 4); changes > 0; changes--)
        {
            var at = random.Next(message.Length);
            switch (random.Next(4))
            {
                case 0:
                    message[at] = (byte)random.Next(256);
                    break;
                case 1:
                    message[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 2:
                    message = [.. message[..at], .. message[random.Next(at + 1)..]];
                    break;
                default:
                    message = message[..(at + 1)];
                    break;
            }
        }

        using var client = await RawClient.ConnectAsync(_server);
        await client.SendAsync(message);
        client.SendEnd();
        await client.ReceiveToEndAsync();
    }

    private static Action<System.Formats.Asn1.AsnWriter> Nested(int depth) =>
        depth == 1 ? RawRequest.Present("cn") : RawRequest.Combine(2, Nested(depth - 1));
}
