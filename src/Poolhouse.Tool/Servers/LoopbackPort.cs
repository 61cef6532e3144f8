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
    private const int Parts = 16;
    private const int Attempts = 200;

    // A server's port is free before it starts and while it restarts. So each process takes ports from a part of the range that
    // is its own while it lives, and none again soon.
    private static readonly (int From, int Count, Socket? Claim) _part = TakePart();
    private static int _last = Random.Shared.Next(Span);

    /// <summary>A port on which no process listens now; another one with each call, until all have been returned once.</summary>
    public static int Find()
    {
        // Below the ports of outgoing connections: while a server is down, a client that retries would sooner or
        // later be given the server's own port, connect to itself, and keep the server from coming back.
        var end = EphemeralStart() is > Span + 1024 and var ephemeral ? ephemeral : UsualEphemeralStart;
        var start = end - Span + _part.From;
        for (var attempt = 0; attempt < Attempts; attempt++)
        {
            var port = start + (int)((uint)Interlocked.Increment(ref _last) % _part.Count);
            if (IsFree(port))
            {
                return port;
            }
        }

        throw new ServerFailedException(
            $"None of {Attempts} ports from {start} to {start + _part.Count - 1} on 127.0.0.1 is free.");
    }

    // An abstract socket name, which exists on Linux only, is released when the process ends.
    private static (int From, int Count, Socket? Claim) TakePart()
    {
        for (var part = 0; part < Parts && OperatingSystem.IsLinux(); part++)
        {
            var claim = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            try
            {
                claim.Bind(new UnixDomainSocketEndPoint($"\0poolhouse-ports-{part}"));
                return (part * (Span / Parts), Span / Parts, claim);
            }
            catch (SocketException)
            {
                claim.Dispose();
            }
        }

        return (0, Span, null);
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
