using System.Net;
using System.Net.Sockets;

namespace Poolhouse.TestSupport;

/// <summary>Ports of 127.0.0.1 that refuse connections.</summary>
internal static class RefusingPort
{
    /// <summary>Binds a socket that does not listen: until it is disposed, no other process gets its port.</summary>
    public static Socket Bind(out int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        port = ((IPEndPoint)socket.LocalEndPoint!).Port;
        return socket;
    }
}
