using Poolhouse.Servers;

var servers = new ServerSet<string>(["down", "up"]);
await using var item = await servers.CreateAsync(
    static (server, _) => server is "up" ? new ValueTask<object>(server) : throw new IOException(server), TimeSpan.FromSeconds(10));
Console.WriteLine(item.Server is "up" && servers.GetStatistics()[0].Failures == 1 ? "OK Poolhouse.Servers" : "not OK");
