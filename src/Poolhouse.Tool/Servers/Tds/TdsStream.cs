using System.Buffers.Binary;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Poolhouse.Tool.Servers.Tds;

/// <summary>Reads and writes the packets of a connection (MS-TDS 2.2.3).</summary>
internal sealed class TdsStream(Socket socket, short sessionId) : IDisposable
{
    private const int HeaderLength = 8;

    private Stream _stream = new NetworkStream(socket, ownsSocket: true);

    /// <summary>The size of the packets that are written, headers included.</summary>
    public int PacketSize { get; set; } = 4096;

    /// <summary>Encrypts the whole connection, as TDS 8.0 does.</summary>
    public Task SecureAsync(X509Certificate certificate) => SecureAsync(_stream, certificate, SslProtocols.None);

    /// <summary>Encrypts the rest of the connection, as TDS 7.4 does after PRELOGIN: its TLS is that of version 1.2.</summary>
    public async Task SecureLoginAsync(X509Certificate certificate)
    {
        var handshake = new TdsHandshake(_stream);
#pragma warning disable CA5398 // Clients of TDS 7.4 offer no other version.
        await SecureAsync(handshake, certificate, SslProtocols.Tls12).ConfigureAwait(false);
#pragma warning restore CA5398
        handshake.IsOver = true;
    }

    /// <summary>Reads a message.</summary>
    /// <returns>Null if the connection has ended.</returns>
    public async Task<TdsMessage?> ReadAsync()
    {
        try
        {
            var header = new byte[HeaderLength];
            var data = new List<byte>();
            byte? first = null;
            do
            {
                await _stream.ReadExactlyAsync(header).ConfigureAwait(false);
                first ??= header[1];
                var packet = new byte[BinaryPrimitives.ReadUInt16BigEndian(header.AsSpan(2)) - HeaderLength];
                await _stream.ReadExactlyAsync(packet).ConfigureAwait(false);
                data.AddRange(packet);
            }
            while ((header[1] & TdsMessage.Last) == 0);
            return new TdsMessage(header[0], (byte)(first.Value | (header[1] & TdsMessage.Ignored)), data.ToArray());
        }
        catch (Exception end) when (end is IOException or ObjectDisposedException)
        {
            return null;
        }
    }

    /// <summary>Writes a response. Has no effect if the connection has ended.</summary>
    public async Task WriteAsync(byte[] data)
    {
        var packets = new List<byte>();
        var from = 0;
        do
        {
            var length = Math.Min(data.Length - from, PacketSize - HeaderLength);
            var header = new byte[HeaderLength];
            header[0] = TdsMessage.Response;
            header[1] = from + length == data.Length ? TdsMessage.Last : (byte)0;
            BinaryPrimitives.WriteUInt16BigEndian(header.AsSpan(2), (ushort)(length + HeaderLength));
            BinaryPrimitives.WriteInt16BigEndian(header.AsSpan(4), sessionId);
            header[6] = (byte)((from / (PacketSize - HeaderLength)) + 1);
            packets.AddRange(header);
            packets.AddRange(data.AsSpan(from, length));
            from += length;
        }
        while (from < data.Length);
        try
        {
            await _stream.WriteAsync(packets.ToArray()).ConfigureAwait(false);
        }
        catch (Exception end) when (end is IOException or ObjectDisposedException)
        {
            // The client has gone, or the session was ended; the next read returns null.
        }
    }

    public void Dispose() => _stream.Dispose();

    private async Task SecureAsync(Stream inner, X509Certificate certificate, SslProtocols protocols)
    {
        var secure = new SslStream(inner);
        _stream = secure;
        await secure.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = certificate,
            EnabledSslProtocols = protocols,
            ApplicationProtocols = [new SslApplicationProtocol("tds/8.0")],
        }).ConfigureAwait(false);
    }
}
