using Zoo.Apps;

namespace Zoo;

/// <summary>All apps.</summary>
internal static class Catalog
{
    public static IReadOnlyList<Entry> All { get; } =
    [
        // These need a pool.
        new("exports", () => new Exports(), () => new PooledExports()),
        new("frames", () => new VideoFrames(), () => new PooledFrames()),
        new("documents", () => new Documents(), () => new PooledDocuments()),
        new("mails", () => new Mails(), () => new PooledMails()),
        new("parsers", () => new Parsers(), () => new PooledParsers()),
        new("lists", () => new Lists()),
        new("api-client", () => new ApiClient(keepsClient: false), () => new ApiClient(keepsClient: true)),
        new("orders-db", () => new TcpClients(5432, keeps: false)),
        new("directory", () => new NativeClients(3268)),
        new("sessions-cache", () => new TcpClients(6379, keeps: false)),
        new("threads", () => new NewThreads()),
        new("lost-arrays", () => new LostArrays()),

        // These do not.
        new("idle", () => new Idle()),
        new("small-objects", () => new SmallObjects()),
        new("strings", () => new Strings()),
        new("small-arrays", () => new SmallArrays()),
        new("tasks", () => new ManyTasks()),
        new("pooled-arrays", () => new PooledExports()),
        new("one-client", () => new ApiClient(keepsClient: true)),
        new("one-connection", () => new TcpClients(5432, keeps: true)),
        new("start-up", () => new StartUp()),
        new("filling-cache", () => new FillingCache()),
        new("pooled-documents", () => new PooledDocuments()),
        new("pooled-connections", () => new PooledConnections()),

        // These are only watched.
        new("closed-pool", () => new ClosedPool()),
        new("old-poolhouse", () => new OldPoolhouse()),
    ];

    public static Entry? Find(string name) =>
        All.FirstOrDefault(each => string.Equals(each.Name, name, StringComparison.Ordinal));

    /// <summary>An app by name.</summary>
    /// <param name="Name">The name.</param>
    /// <param name="Create">Creates it.</param>
    /// <param name="CreateFixed">Creates it after the recommended change; null if that is not measured.</param>
    internal sealed record Entry(string Name, Func<App> Create, Func<App>? CreateFixed = null);
}
