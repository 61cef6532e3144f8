using System.Globalization;
using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>What the tables of Linux say of connections that native code opens.</summary>
public sealed class SocketTables
{
    private const long Own = 7;

    // A directory at 10.0.0.2:389; as the kernel of a little-endian processor writes it.
    private const string Directory = "0200000A:0185";

    [Fact]
    public void A_closed_connection_tells_when_it_was_closed()
    {
        var entry = SocketEntry.Parse(Closed(port: 50_000, secondsAgo: 20));
        Assert.Equal((50_000, ("10.0.0.2", 389), 0L, TimeSpan.FromSeconds(20)), (
            entry!.Local, entry.Peer, entry.Inode, entry.ClosedFor));
        Assert.True(entry.IsClosed);
        Assert.Equal((Own, TimeSpan.Zero), (
            SocketEntry.Parse(Open(50_001, Own))!.Inode, SocketEntry.Parse(Open(50_001, Own))!.ClosedFor));
        Assert.Null(SocketEntry.Parse("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"));
    }

    // On a busy machine the tables are read rarely.
    [Fact]
    public void Connections_that_were_opened_all_the_time_are_recognized_by_a_single_reading()
    {
        var table = new SocketTable(pid: 1);
        table.Add([], Inodes(), momentOf: null);
        table.Add([.. Enumerable.Range(1, 9).Select(second => Read(Closed(50_000 + second, second))), Read(Open(50_000, Own))],
            Inodes(Own), closedFor => 0.95 - closedFor.TotalSeconds / 10);
        var peer = Assert.Single(table.Peers());
        Assert.Equal(("10.0.0.2", 389, new Occurrences(10, 10)), (peer.Address, peer.Port, peer.Connections));
    }

    [Fact]
    public void Connections_that_were_opened_at_once_are_recognized_as_well()
    {
        var table = new SocketTable(pid: 1);
        table.Add([], Inodes(), momentOf: null);
        table.Add([.. Enumerable.Range(1, 9).Select(port => Read(Closed(50_000 + port, 5))), Read(Open(50_000, Own))],
            Inodes(Own), closedFor => 0.95 - closedFor.TotalSeconds / 10);
        Assert.False(Assert.Single(table.Peers()).Connections.GoOn);
    }

    [Fact]
    public void The_tables_are_read_more_often_until_it_is_known_whose_the_closed_connections_are()
    {
        var table = new SocketTable(pid: 1);
        var (usual, quick) = (TimeSpan.FromMilliseconds(50), TimeSpan.FromMilliseconds(1));
        Assert.Equal(usual, table.PauseAfter(quick));
        table.Add([Read(Closed(50_000, 1))], Inodes(), _ => 0);
        Assert.Equal(TimeSpan.FromMilliseconds(5), table.PauseAfter(quick));
        Assert.Equal(TimeSpan.FromMilliseconds(400), table.PauseAfter(TimeSpan.FromMilliseconds(100)));
        Assert.Empty(table.Peers());

        table.Add([Read(Closed(50_000, 2)), Read(Open(50_001, Own))], Inodes(Own), _ => 0);
        Assert.Equal(usual, table.PauseAfter(quick));
        Assert.Equal(2, Assert.Single(table.Peers()).Connections.Count);
    }

    [Fact]
    public void An_address_to_which_another_process_keeps_a_connection_is_not_counted()
    {
        var table = new SocketTable(pid: 1);
        for (var reading = 0; reading < 2; reading++)
        {
            table.Add([Read(Closed(50_000, 1)), Read(Open(50_001, Own)), Read(Open(50_002, inode: 8))], Inodes(Own), _ => 0);
        }

        Assert.Empty(table.Peers());
        Assert.Equal(TimeSpan.FromMilliseconds(50), table.PauseAfter(TimeSpan.Zero));
    }

    private static SocketEntry Read(string line) => SocketEntry.Parse(line)!;

    private static HashSet<long> Inodes(params long[] inodes) => [.. inodes];

    private static string Open(int port, long inode) => string.Create(
        CultureInfo.InvariantCulture,
        $"   1: 0100000A:{port:X4} {Directory} 01 00000000:00000000 00:00000000 00000000  1000        0 {inode} 1 0 20 4 30 10 -1");

    private static string Closed(int port, int secondsAgo) => string.Create(
        CultureInfo.InvariantCulture,
        $"   2: 0100000A:{port:X4} {Directory} 06 00000000:00000000 03:{(60 - secondsAgo) * 100:X8} 00000000     0        0 0 3 0");
}
