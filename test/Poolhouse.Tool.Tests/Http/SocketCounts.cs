using Poolhouse.Tool.Bench.Http;

namespace Poolhouse.Tool.Tests.Http;

public sealed class SocketCounts
{
    [Fact]
    public void Only_sockets_in_TIME_WAIT_of_the_port_count_whichever_side_it_is_on()
    {
        string[] table =
        [
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
            "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1",
            "   1: 0100007F:C350 0100007F:1F90 06 00000000:00000000 03:00001770 00000000     0        0 0 3",
            "   2: 0100007F:1F90 0100007F:C351 06 00000000:00000000 03:00001770 00000000     0        0 0 3",
            "   3: 0100007F:C352 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 2 1",
            "   4: 0100007F:C353 0100007F:0050 06 00000000:00000000 03:00001770 00000000     0        0 0 3",
            "   5: 0100007F:1F91 0100007F:11F90 06 00000000:00000000 03:00001770 00000000     0        0 0 3",
            "",
        ];

        Assert.Equal(2, TimeWait.Count(table, port: 8080));
    }

    [Fact]
    public async Task The_service_counts_its_sockets_and_requests()
    {
        var connected = 0;
        var requested = 0;
        await using var service = await Service.StartAsync(
            TimeProvider.System, TimeSpan.FromMilliseconds(1), () => connected++, () => requested++, CancellationToken.None);
        using (var one = new HttpClient())
        {
            Assert.Equal("hello", await one.GetStringAsync(service.Address));
            Assert.Equal("hello", await one.GetStringAsync(service.Address));
        }

        using var other = new HttpClient();
        Assert.Equal("hello", await other.GetStringAsync(service.Address));
        Assert.Equal((2, 2, 3), (service.Sockets, connected, requested));

        // The service has its share in closing the first client's connection, on a thread of its own.
        Assert.True(SpinWait.SpinUntil(() => TimeWait.Count(service.Port) is null or >= 1, TimeSpan.FromMinutes(1)));
    }
}
