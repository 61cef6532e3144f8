using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Poolhouse.Testing.Tests.Faults;

internal enum PeerEnd
{
    Closed,
    Reset,
}

/// <summary>One side of a connection that speaks text.</summary>
internal sealed class SocketPeer(Socket socket) : IDisposable
{
    private readonly byte[] _buffer = new byte[64 * 1024];

    /// <summary>How the other side ended the connection; null if it has not ended, as far as was read.</summary>
    public PeerEnd? End { get; private set; }

    public static async Task<SocketPeer> ConnectAsync(FaultProxy proxy)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(new IPEndPoint(IPAddress.Parse(proxy.Host), proxy.Port));
            return new SocketPeer(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    public async Task SendAsync(string text) => await socket.SendAsync(Encoding.ASCII.GetBytes(text));

    public async Task TrySendAsync(string text)
    {
        try
        {
            await SendAsync(text);
        }
        catch (SocketException)
        {
            // The receiving loop reports how the connection ended.
        }
    }

    public void SendEnd() => socket.Shutdown(SocketShutdown.Send);

    /// <summary>Receives the next text; empty if the connection ended, see <see cref="End"/>.</summary>
    public async Task<string> ReceiveAsync()
    {
        try
        {
            var count = await socket.ReceiveAsync(_buffer);
            End = count == 0 ? PeerEnd.Closed : null;
            return Encoding.ASCII.GetString(_buffer, 0, count);
        }
        catch (SocketException)
        {
            End = PeerEnd.Reset;
            return "";
        }
    }

    /// <summary>Receives the given number of characters.</summary>
    public async Task<string> ReceiveAsync(int count)
    {
        var text = new StringBuilder();
        while (text.Length < count && await ReceiveAsync().WaitAsync(Patience.Time) is { Length: > 0 } part)
        {
            text.Append(part);
        }

        return text.ToString();
    }

    /// <summary>Receives to the end.</summary>
    public async Task<(string Text, PeerEnd End)> ReceiveToEndAsync() => (await ReceiveAsync(int.MaxValue), End!.Value);

    public void Dispose() => socket.Dispose();
}
