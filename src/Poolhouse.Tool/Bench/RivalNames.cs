namespace Poolhouse.Tool.Bench;

/// <summary>The names of the rivals, and the colour each keeps in every chart.</summary>
internal static class RivalNames
{
    public const string Poolhouse = "Poolhouse";
    public const string NoPool = "no pool";
    public const string DefaultPool = "DefaultObjectPool";
    public const string Bag = "ConcurrentBag";
    public const string SharedArrays = "ArrayPool.Shared";
    public const string CreatedArrays = "ArrayPool.Create";
    public const string Bcl = "runtime's pools";
    public const string ChannelPool = "channel pool";
    public const string HomeMadePool = "home-made pool";
    public const string PoolhouseWithoutJitter = "no jitter";
    public const string ProviderPool = "provider's pool";
    public const string PoolhouseSameReset = "same reset";
    public const string OneConnection = "one connection";
    public const string PoolhouseShards = "shards";
    public const string OneClient = "one HttpClient";
    public const string NewClient = "new HttpClient";
    public const string NoLimit = "no limit";
    public const string ConnectionLimit = "connection limit";
    public const string BlindLifetime = "lifetime 1 s";
    public const string NewConnection = "new connection";
    public const string HeldConnections = "held connections";
    public const string SmallPool = "pool of 4";
    public const string PoolhouseLease = "leased";
    public const string ToolkitWriter = "toolkit's writer";
    public const string Recyclable = "Recyclable";
    public const string EfPoolhouse = "EF leased";
    public const string EfProviderPool = "EF own";
    public const string ThreadPool = "thread pool";
    public const string Channel = "channel";
    public const string ThreadStatic = "thread static";

    /// <summary>Whether the name stands for Poolhouse, with default or other settings.</summary>
    public static bool IsOwn(string rival) => rival is
        Poolhouse or PoolhouseWithoutJitter or PoolhouseSameReset or PoolhouseShards or PoolhouseLease or EfPoolhouse
            or SmallPool;

    public static int ColourOf(string rival) => rival switch
    {
        Poolhouse or PoolhouseSameReset => 0,
        OneClient or ConnectionLimit or ThreadPool or NewConnection => 1,
        DefaultPool or SharedArrays or Bcl or ChannelPool or ProviderPool or Recyclable => 1,
        PoolhouseShards or BlindLifetime or Channel or ThreadStatic or SmallPool or HeldConnections => 2,
        EfPoolhouse => 0,
        EfProviderPool => 1,
        Bag or CreatedArrays or HomeMadePool or OneConnection or PoolhouseLease => 2,
        ToolkitWriter => 4,
        _ => 3,
    };
}
