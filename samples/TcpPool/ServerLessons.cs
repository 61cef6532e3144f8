using System.Net;
using Poolhouse.Servers;

namespace Poolhouse.Samples.TcpPool;

/// <summary>One pool on two servers that can both serve.</summary>
internal static class ServerLessons
{
    public static async Task FailOverAsync()
    {
        using var primary = new EchoServer();
        using var standby = new EchoServer();

        // snippet: server-set
        var servers = new ServerSet<IPEndPoint>(
            [primary.EndPoint, standby.EndPoint],
            new ServerSetOptions { Selection = ServerSelection.Ordered, FailBackAge = TimeSpan.FromMinutes(5) });

        await using var pool = new ResourcePool<ServerItem<IPEndPoint, LineConnection>>(
            new FailoverPolicy(servers), new ResourcePoolOptions { MaxSize = 1, Name = "lines" });

        await using (var lease = await pool.RentAsync())
        {
            Console.WriteLine(await lease.Value.Value.AskAsync("Hello, primary.", CancellationToken.None));
        }
        // end snippet

        await using (var lease = await pool.RentAsync())
        {
            // The server closes the connection and stops. The policy is notified when the lease ends.
            primary.Close();
            await lease.Value.Value.AskAsync("/quit", CancellationToken.None);
        }

        await using (var lease = await pool.RentAsync())
        {
            Console.WriteLine(await lease.Value.Value.AskAsync("Hello, standby.", CancellationToken.None));
        }

        // snippet: server-set-statistics
        foreach (var server in servers.GetStatistics())
        {
            Console.WriteLine($"{server.Created} created, {server.Items} alive.");
        }
        // end snippet
    }
}
