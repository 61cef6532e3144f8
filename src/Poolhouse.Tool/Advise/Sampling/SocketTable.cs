using System.Globalization;
using System.Net;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>The connections of a process by the tables of Linux, which also show those of native code.</summary>
// A closed connection belongs to no process any more, but stays in the table for a minute (TIME_WAIT). It is counted if this
// process is seen to have a connection to the same address, before or later, and no other process keeps one.
internal sealed class SocketTable(int pid)
{
    private const string TimeWait = "06";
    private const string Listening = "0A";

    private static readonly TimeSpan _interval = TimeSpan.FromMilliseconds(50);

    private readonly Dictionary<(string Address, int Port), Timeline> _peers = [];
    private readonly HashSet<(string Address, int Port)> _own = [];
    private readonly HashSet<(string Address, int Port)> _foreign = [];
    private HashSet<long> _unknown = [];
    private readonly HashSet<(int Local, string Address, int Port)> _seen = [];

    /// <summary>Reads the tables again and again.</summary>
    /// <param name="time">For how long.</param>
    /// <param name="momentOf">Gives the part of the time that a moment lies at.</param>
    /// <param name="cancellation">Ends it early.</param>
    public async Task PollAsync(TimeSpan time, Func<DateTime, double> momentOf, CancellationToken cancellation)
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        try
        {
            Poll(count: false, moment: 0);
            for (var moment = 0.0; moment < 1; moment = momentOf(TimeProvider.System.GetUtcNow().UtcDateTime))
            {
                await Task.Delay(_interval, TimeProvider.System, cancellation).ConfigureAwait(false);
                Poll(count: true, momentOf(TimeProvider.System.GetUtcNow().UtcDateTime));
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or OperationCanceledException)
        {
            // The process has ended, or the tables cannot be read: then there is nothing to say about native code.
        }
    }

    /// <summary>The addresses that the process connected to, by native code or not.</summary>
    public IReadOnlyList<Peer> Peers() =>
    [
        .. from peer in _peers
           where peer.Value.Count > 0 && _own.Contains(peer.Key) && !_foreign.Contains(peer.Key)
           select new Peer(peer.Key.Address, peer.Key.Port, peer.Value.Occurrences, IsNative: true, Method: ""),
    ];

    private void Poll(bool count, double moment)
    {
        // Before and after: sockets are opened and closed in between.
        var own = InodesOf(pid);
        var entries = Entries().ToList();
        own.UnionWith(InodesOf(pid));

        // A connection may be opened and closed while the table is read: another process has what is there twice.
        var unknown = _unknown;
        _unknown = [];

        // What this process listens on: those connections were opened by others.
        var listening = entries.Where(each => each.State == Listening).Select(each => each.Local).ToHashSet();
        foreach (var entry in entries.Where(each => each.State != Listening && !listening.Contains(each.Local)))
        {
            if (own.Contains(entry.Inode))
            {
                _own.Add(entry.Peer);
            }
            else if (entry.Inode != 0)
            {
                _unknown.Add(entry.Inode);
                if (unknown.Contains(entry.Inode))
                {
                    _foreign.Add(entry.Peer);
                }
            }

            var mayBeOwn = own.Contains(entry.Inode) || entry.State == TimeWait;
            if (mayBeOwn && _seen.Add((entry.Local, entry.Peer.Address, entry.Peer.Port)) && count)
            {
                if (!_peers.TryGetValue(entry.Peer, out var peer))
                {
                    _peers[entry.Peer] = peer = new Timeline();
                }

                peer.Add(moment);
            }
        }
    }

    private static HashSet<long> InodesOf(int pid)
    {
        const string Prefix = "socket:[";
        var inodes = new HashSet<long>();
        foreach (var file in new DirectoryInfo($"/proc/{pid}/fd").EnumerateFileSystemInfos())
        {
            if (TargetOf(file) is { } target && target.Contains(Prefix, StringComparison.Ordinal)
                && long.TryParse(
                    target[(target.IndexOf(Prefix, StringComparison.Ordinal) + Prefix.Length)..].TrimEnd(']'), NumberStyles.None,
                    CultureInfo.InvariantCulture, out var inode))
            {
                inodes.Add(inode);
            }
        }

        return inodes;
    }

    private static string? TargetOf(FileSystemInfo file)
    {
        try
        {
            return file.LinkTarget;
        }
        catch (IOException)
        {
            // Closed in the meantime.
            return null;
        }
    }

    private IEnumerable<Entry> Entries() =>
        from table in (string[])[$"/proc/{pid}/net/tcp", $"/proc/{pid}/net/tcp6"]
        where File.Exists(table)
        from line in File.ReadLines(table).Skip(1)
        let words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)
        where words.Length > 9
        let peer = AddressOf(words[2])
        let local = AddressOf(words[1])
        where peer is not null && local is not null
        select new Entry(
            local.Value.Port, peer.Value, words[3],
            long.TryParse(words[9], NumberStyles.None, CultureInfo.InvariantCulture, out var inode) ? inode : 0);

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

    private sealed record Entry(int Local, (string Address, int Port) Peer, string State, long Inode);
}
