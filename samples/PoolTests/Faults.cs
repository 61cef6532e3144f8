using System.Net;
using Poolhouse.Samples.TcpPool;
using Poolhouse.Testing;

namespace Poolhouse.Samples.PoolTests;

internal static class Faults
{
    public static async Task AnswerLateAsync(EchoServer server)
    {
        // snippet: test-late-reply
        await using var proxy = FaultProxy.Start("127.0.0.1", server.EndPoint.Port);
        await using var pool = PoolOver(proxy);

        var hold = proxy.ToClient.Add(new HoldToxic());
        using var patience = new CancellationTokenSource();
        var asking = pool.UseAsync(static (line, token) => line.AskAsync("hers", token), patience.Token);
        await hold.WaitUntilHoldingAsync(); // the answer is on its way
        await patience.CancelAsync();       // and its caller gives up
        proxy.ToClient.Remove(hold);        // now it arrives

        Console.WriteLine(await pool.UseAsync(static (line, token) => line.AskAsync("mine", token)));
        // end snippet

        try
        {
            await asking;
        }
        catch (OperationCanceledException)
        {
            Console.WriteLine($"Tainted: {pool.GetStatistics().DestroyedFor(DestroyReason.Tainted)}.");
        }
    }

    public static async Task GoDownAsync(EchoServer server)
    {
        await using var proxy = FaultProxy.Start("127.0.0.1", server.EndPoint.Port);
        await using var pool = PoolOver(proxy);

        // snippet: test-outage
        await (await pool.RentAsync()).DisposeAsync();
        proxy.Mode = FaultProxyMode.Down; // new connections are refused
        proxy.ResetAll();                 // those that exist are lost
        var waiting = pool.RentAsync();   // finds the idle one dead and cannot get another

        await WaitForOutageAsync(pool);
        proxy.Heal();

        using var lease = await waiting;
        Console.WriteLine(await lease.Value.AskAsync("after the outage", CancellationToken.None));
        // end snippet
    }

    public static async Task CutOffAsync(EchoServer server)
    {
        await using var proxy = FaultProxy.Start("127.0.0.1", server.EndPoint.Port);
        await using var pool = PoolOver(proxy);

        // snippet: test-toxics
        proxy.ToServer.Add(new LatencyToxic(TimeSpan.FromMilliseconds(5), jitter: TimeSpan.FromMilliseconds(2)));
        proxy.ToClient.Add(new SlicerToxic(size: 3));      // answers come in parts
        proxy.ToClient.Add(new LimitToxic(bytes: 14));     // and the second one breaks off

        await using var lease = await pool.RentAsync();
        Console.WriteLine(await lease.Value.AskAsync("0123456789", CancellationToken.None));
        Console.WriteLine(await lease.Value.AskAsync("0123456789", CancellationToken.None));
        // end snippet
    }

    private static ResourcePool<LineConnection> PoolOver(FaultProxy proxy) => new(
        new LinePolicy(new IPEndPoint(IPAddress.Loopback, proxy.Port)),
        new ResourcePoolOptions
        {
            MaxSize = 1,
            ValidateAfterIdle = TimeSpan.Zero,
            RetryDelay = TimeSpan.FromMilliseconds(1),
            OutageTimeout = Timeout.InfiniteTimeSpan, // a busy machine may need longer than the default
        });

    private static async Task WaitForOutageAsync(ResourcePool<LineConnection> pool)
    {
        while (!pool.GetStatistics().InOutage)
        {
            await Task.Yield();
        }
    }
}
