
namespace Poolhouse.Samples.TcpPool;

internal static class Lessons
{
    public static async Task ReuseAsync(ResourcePool<LineConnection> pool, EchoServer server)
    {
        await using (var lease = await pool.RentAsync())
        {
            Console.WriteLine($"Lease {lease.Info.Uses} of this item, {server.Connections} connection.");
        }
    }

    public static async Task ResetAsync(ResourcePool<LineConnection> pool)
    {
        await using (var lease = await pool.RentAsync())
        {
            await lease.Value.AskAsync("/prefix Ada:", CancellationToken.None);
            Console.WriteLine(await lease.Value.AskAsync("mine", CancellationToken.None));
        }

        // The same connection, after its reset.
        await using var next = await pool.RentAsync();
        Console.WriteLine(await next.Value.AskAsync("not hers any more", CancellationToken.None));
    }

    public static async Task ReplaceBrokenAsync(ResourcePool<LineConnection> pool)
    {
        await using (var lease = await pool.RentAsync())
        {
            var answer = await lease.Value.AskAsync("/quit", CancellationToken.None);
            Console.WriteLine($"The server closed the connection: {answer is null}.");
        }

        // IsBroken was called on the return.
        Console.WriteLine($"Broken: {pool.GetStatistics().DestroyedFor(DestroyReason.Broken)}.");
    }

    public static async Task ValidateAsync(ResourcePool<LineConnection> pool, EchoServer server)
    {
        await using (var lease = await pool.RentAsync())
        {
            Console.WriteLine(await lease.Value.AskAsync("a new connection", CancellationToken.None));
        }

        server.DropAll();

        // The pool finds out before the caller does.
        await using var next = await pool.RentAsync();
        Console.WriteLine(await next.Value.AskAsync("another one, and no error", CancellationToken.None));
    }

    public static async Task TaintAsync(ResourcePool<LineConnection> pool)
    {
        // snippet: tcp-taint
        using var patience = new CancellationTokenSource();
        try
        {
            // A cancelled read leaves a reply on the wire for the next user. UseAsync taints the lease when the use throws.
            await pool.UseAsync(
                (line, token) =>
                {
                    patience.CancelAfter(TimeSpan.FromMilliseconds(50));
                    return line.AskAsync("/silence", token);
                },
                patience.Token);
        }
        catch (OperationCanceledException)
        {
            Console.WriteLine($"Tainted: {pool.GetStatistics().DestroyedFor(DestroyReason.Tainted)}.");
        }
        // end snippet
    }

    public static void Count(ResourcePool<LineConnection> pool)
    {
        // snippet: tcp-statistics
        ResourcePoolStatistics now = pool.GetStatistics();
        Console.WriteLine($"{now.Rented} rents, {now.Created} created, {now.Destroyed} destroyed, {now.Leased} leased.");
        // end snippet
    }
}
