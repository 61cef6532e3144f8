using Poolhouse;
using Poolhouse.Samples.TcpPool;

using var server = new EchoServer();

// snippet: tcp-pool
await using var pool = new ResourcePool<LineConnection>(
    new LinePolicy(server.EndPoint),
    new ResourcePoolOptions { MaxSize = 4, Name = "echo", ValidateAfterIdle = TimeSpan.Zero, AwaitReset = true });

await using (var lease = await pool.RentAsync())
{
    Console.WriteLine(await lease.Value.AskAsync("Hello, pool.", CancellationToken.None));
}
// end snippet

await Lessons.ReuseAsync(pool, server);
await Lessons.ResetAsync(pool);
await Lessons.ReplaceBrokenAsync(pool);
await Lessons.ValidateAsync(pool, server);
await Lessons.TaintAsync(pool);
Lessons.Count(pool);

using var second = new EchoServer();
await KeyedLessons.ShareAsync(server, second);
await ServerLessons.FailOverAsync();
await SharedLessons.ShareAsync(server);
