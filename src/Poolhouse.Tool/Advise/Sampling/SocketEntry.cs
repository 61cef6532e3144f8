using System.Globalization;
using System.Net;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>A line of Linux's tables of connections.</summary>
/// <param name="Local">The port on this side.</param>
/// <param name="Peer">The other side.</param>
/// <param name="State">The state, as the kernel writes it.</param>
/// <param name="Inode">By which number the files of its process refer to it; zero if it belongs to no process any more.</param>
/// <param name="ClosedFor">How long ago it was closed; zero if it is open.</param>
internal sealed record SocketEntry(int Local, (string Address, int Port) Peer, string State, long Inode, TimeSpan ClosedFor)
{
    public const string Listening = "0A";

    private const string TimeWait = "06";
    private const long TicksPerSecond = 100;

    // How long the kernel keeps a closed connection. The line has the time that is left.
    private static readonly TimeSpan _kept = TimeSpan.FromSeconds(60);

    /// <summary>Whether its process has closed it: it belongs to none any more.</summary>
    public bool IsClosed => State == TimeWait;

    /// <summary>Reads a line; null for the heading, and for what is not a connection.</summary>
    public static SocketEntry? Parse(string line)
    {
        var words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        if (words.Length <= 9 || AddressOf(words[1]) is not { } local || AddressOf(words[2]) is not { } peer)
        {
            return null;
        }

        _ = long.TryParse(words[9], NumberStyles.None, CultureInfo.InvariantCulture, out var inode);
        return new SocketEntry(local.Port, peer, words[3], inode, words[3] == TimeWait ? ClosedForOf(words[5]) : TimeSpan.Zero);
    }

    /// <summary>Reads a timer: its kind and the time that is left, <c>03:00001770</c>.</summary>
    private static TimeSpan ClosedForOf(string timer)
    {
        var left = timer.Split(':') is [_, var ticks]
            && long.TryParse(ticks, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var number)
            ? TimeSpan.FromSeconds((double)number / TicksPerSecond) : _kept;
        return left < _kept ? _kept - left : TimeSpan.Zero;
    }

    /// <summary>Reads an address as the kernel writes it: words of 4 bytes in the order of the processor, and the port.</summary>
    private static (string Address, int Port)? AddressOf(string text)
    {
        var parts = text.Split(':');
        if (parts.Length != 2 || parts[0].Length is not (8 or 32))
        {
            return null;
        }

        var bytes = Convert.FromHexString(parts[0]);
        if (BitConverter.IsLittleEndian)
        {
            for (var word = 0; word < bytes.Length; word += 4)
            {
                Array.Reverse(bytes, word, 4);
            }
        }

        return (PeerAddress.Plain(new IPAddress(bytes)), Convert.ToInt32(parts[1], 16));
    }
}
