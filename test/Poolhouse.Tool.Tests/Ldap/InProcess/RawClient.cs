using System.Formats.Asn1;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>
/// A client that sends requests of a test and returns the responses: requests by <see cref="RawRequest"/>, or bytes of any kind.
/// </summary>
internal sealed class RawClient : IDisposable
{
    /// <summary>The longest message that it reads.</summary>
    public const int BufferSize = 4 * 1024;

    private readonly Socket _socket;
    private readonly Stream _stream;
    private readonly byte[] _buffer = new byte[BufferSize];
    private int _count;

    private RawClient(Socket socket)
    {
        _socket = socket;
        _stream = new NetworkStream(socket, ownsSocket: true);
    }

    /// <summary>A message of the server.</summary>
    /// <param name="Id">Of the request; 0: of none.</param>
    /// <param name="Tag">Which kind: 1 a bind's end, 4 an entry, 5 a search's end, 24 an extended one's.</param>
    /// <param name="Result">The result code; -1 for an entry.</param>
    /// <param name="Text">Its text: the diagnostic, or the name of the entry.</param>
    internal sealed record Reply(int Id, int Tag, int Result, string Text)
    {
        public LdapTestResultCode Code => (LdapTestResultCode)Result;

        /// <summary>Whether it is the notice that the connection ends.</summary>
        public bool IsNotice => Id == 0;
    }

    public static async Task<RawClient> ConnectAsync(LdapTestServer server)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(new IPEndPoint(IPAddress.Parse(server.Host), server.Port));
            return new RawClient(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>A connection on which the server has answered already: it is in the server's list.</summary>
    public static async Task<RawClient> ConnectAndBindAsync(
        LdapTestServer server, string dn = Country.Service, string password = Country.ServicePassword)
    {
        var client = await ConnectAsync(server);
        Assert.Equal(LdapTestResultCode.Success, (await client.AskAsync(RawRequest.Bind(1, dn, password))).Code);
        return client;
    }

    public async Task SendAsync(ReadOnlyMemory<byte> bytes) => await _stream.WriteAsync(bytes);

    /// <summary>Shuts down the sending direction.</summary>
    public void SendEnd()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            // The server was quicker.
        }
    }

    /// <summary>Sends a request and gives the first message that comes.</summary>
    public async Task<Reply> AskAsync(byte[] request)
    {
        await SendAsync(request);
        return await ReceiveAsync() ?? throw new InvalidOperationException("The server ended the connection.");
    }

    /// <summary>The next message; null: the server ended the connection.</summary>
    public async Task<Reply?> ReceiveAsync()
    {
        while (true)
        {
            if (AsnDecoder.TryReadEncodedValue(
                _buffer.AsSpan(0, _count), AsnEncodingRules.BER, out _, out _, out _, out var length))
            {
                var reply = Read(_buffer.AsMemory(0, length));
                _buffer.AsSpan(length, _count - length).CopyTo(_buffer);
                _count -= length;
                return reply;
            }

            try
            {
                var read = await _stream.ReadAsync(_buffer.AsMemory(_count)).AsTask().WaitAsync(Patience.Time);
                if (read == 0)
                {
                    return null;
                }

                _count += read;
            }
            catch (IOException)
            {
                return null;
            }
        }
    }

    /// <summary>The messages up to the end of the connection.</summary>
    public async Task<List<Reply>> ReceiveToEndAsync()
    {
        var replies = new List<Reply>();
        while (await ReceiveAsync() is { } reply)
        {
            replies.Add(reply);
        }

        return replies;
    }

    public void Dispose() => _stream.Dispose();

    private static Reply Read(ReadOnlyMemory<byte> message)
    {
        const int Entry = 4;
        var envelope = new AsnReader(message, AsnEncodingRules.BER).ReadSequence();
        Assert.True(envelope.TryReadInt32(out var id));
        var tag = envelope.PeekTag();
        var content = envelope.ReadSequence(tag);
        if (tag.TagValue == Entry)
        {
            return new Reply(id, Entry, -1, Encoding.UTF8.GetString(content.ReadOctetString()));
        }

        var code = content.ReadEnumeratedBytes().Span[0];
        content.ReadOctetString();
        return new Reply(id, tag.TagValue, code, Encoding.UTF8.GetString(content.ReadOctetString()));
    }
}
