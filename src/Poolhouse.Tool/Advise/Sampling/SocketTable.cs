using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>The connections of a process by the tables of Linux, which also show those of native code.</summary>
// A closed connection belongs to no process any more, but stays in the table for a minute (TIME_WAIT), which shows when it was
// closed. It is counted if this process is seen to have a connection to the same address, before or later, and no other process
// keeps one.
internal sealed class SocketTable(int pid)
{
    // How much of the time the polls may take while some closed connections may be of this process or of another.
    private const double MaxShare = 0.2;

    private static readonly TimeSpan _interval = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan _shortestInterval = TimeSpan.FromMilliseconds(5);

    private readonly Dictionary<(string Address, int Port), Timeline> _peers = [];
    private readonly HashSet<(string Address, int Port)> _own = [];
    private readonly HashSet<(string Address, int Port)> _foreign = [];
    private readonly HashSet<(int Local, string Address, int Port)> _seen = [];
    private HashSet<long> _unknown = [];

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
            Poll(momentOf: null);
            for (var moment = 0.0; moment < 1; moment = momentOf(TimeProvider.System.GetUtcNow().UtcDateTime))
            {
                var began = Stopwatch.GetTimestamp();
                Poll(momentOf);
                await Task.Delay(PauseAfter(Stopwatch.GetElapsedTime(began)), TimeProvider.System, cancellation)
                    .ConfigureAwait(false);
            }

            Poll(momentOf);
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

    /// <summary>The time until the next poll: a connection of native code is often open for a few milliseconds only.</summary>
    /// <param name="poll">How long the last one took.</param>
    internal TimeSpan PauseAfter(TimeSpan poll)
    {
        if (_peers.Keys.All(peer => _own.Contains(peer) || _foreign.Contains(peer)))
        {
            return _interval;
        }

        var pause = poll * (1 / MaxShare - 1);
        return pause > _shortestInterval ? pause : _shortestInterval;
    }

    /// <summary>Adds what one reading of the tables shows.</summary>
    /// <param name="entries">The connections of all processes.</param>
    /// <param name="own">Those of the process.</param>
    /// <param name="momentOf">When a connection was opened that was closed so long ago; null not to count any.</param>
    internal void Add(IReadOnlyList<SocketEntry> entries, IReadOnlySet<long> own, Func<TimeSpan, double>? momentOf)
    {
        // A connection may be opened and closed while the table is read: another process has what is there twice.
        var unknown = _unknown;
        _unknown = [];

        // What this process listens on: those connections were opened by others.
        var listening = entries.Where(each => each.State == SocketEntry.Listening).Select(each => each.Local).ToHashSet();
        foreach (var entry in entries.Where(each => each.State != SocketEntry.Listening && !listening.Contains(each.Local)))
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

            var mayBeOwn = own.Contains(entry.Inode) || entry.IsClosed;
            if (mayBeOwn && _seen.Add((entry.Local, entry.Peer.Address, entry.Peer.Port)) && momentOf is not null)
            {
                if (!_peers.TryGetValue(entry.Peer, out var peer))
                {
                    _peers[entry.Peer] = peer = new Timeline();
                }

                peer.Add(momentOf(entry.ClosedFor));
            }
        }
    }

    private void Poll(Func<DateTime, double>? momentOf)
    {
        // Before and after: sockets are opened and closed in between.
        var own = InodesOf(pid);
        var entries = Entries().ToList();
        var now = TimeProvider.System.GetUtcNow().UtcDateTime;
        own.UnionWith(InodesOf(pid));
        Add(entries, own, momentOf is null ? null : closedFor => momentOf(now - closedFor));
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

    private IEnumerable<SocketEntry> Entries() =>
        from table in (string[])[$"/proc/{pid}/net/tcp", $"/proc/{pid}/net/tcp6"]
        where File.Exists(table)
        from line in File.ReadLines(table)
        let entry = SocketEntry.Parse(line)
        where entry is not null
        select entry;
}
