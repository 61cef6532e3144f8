using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Poolhouse.Tool.Servers;

/// <summary>Free ports for servers that come and go.</summary>
internal static class LoopbackPort
{
    private const string EphemeralRange = "/proc/sys/net/ipv4/ip_local_port_range";
    private const int UsualEphemeralStart = 32768;
    private const int Span = 8000;
    private const int Attempts = 200;

    /// <summary>A port on which no process listens now.</summary>
    // Below the ports of outgoing connections: while a server is down, a client that retries would sooner or
    // later be given the server's own port, connect to itself, and keep the server from coming back.
    public static int Find()
    {
        var end = EphemeralStart() is > Span + 1024 and var start ? start : UsualEphemeralStart;
        for (var attempt = 0; attempt < Attempts; attempt++)
        {
            var port = Random.Shared.Next(end - Span, end);
            if (IsFree(port))
            {
                return port;
            }
        }

        throw new InvalidOperationException($"None of {Attempts} ports from {end - Span} to {end - 1} on 127.0.0.1 is free.");
    }

    private static int EphemeralStart() => File.Exists(EphemeralRange)
        ? int.Parse(File.ReadAllText(EphemeralRange).Split('\t', ' ')[0], CultureInfo.InvariantCulture)
        : UsualEphemeralStart;

    private static bool IsFree(int port)
    {
        try
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            probe.Bind(new IPEndPoint(IPAddress.Loopback, port));
            probe.Listen();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
