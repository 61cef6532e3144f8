using System.Diagnostics;
using System.DirectoryServices.Protocols;
using System.Reflection;
using Microsoft.Extensions.ObjectPool;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Http;
using Poolhouse.Ldap;
using Poolhouse.Repository.Tests.Docs;
using Poolhouse.Workers;

namespace Poolhouse.Repository.Tests.PublicApi;

/// <summary>
/// The rule: a debugger shows every pool and every lease by its name and state, at any time, and never calls ToString of an item
/// or a key (I27).
/// </summary>
public sealed class DebuggerViews
{
    private const string Name = "the-pool";

    // One of each kind, with an item rented where that is possible without a server.
    internal static readonly IReadOnlyDictionary<Type, Func<IPool>> Pools = new Dictionary<Type, Func<IPool>>
    {
        [typeof(TieredObjectPool<>)] = static () => Rented(
            new TieredObjectPool<Silent>(static () => new Silent(), options: Cache<ObjectPoolOptions>()),
            static pool => pool.Rent()),
        [typeof(TieredObjectPool<,>)] = static () => Rented(
            new TieredObjectPool<Silent, SilentPolicy>(default, Cache<ObjectPoolOptions>()), static pool => pool.Rent()),
        [typeof(TieredArrayPool<>)] = static () => Rented(
            new TieredArrayPool<Silent>(Cache<ArrayPoolOptions>()), static pool => pool.RentExact(10)),
        [typeof(TieredMemoryPool<>)] = static () => Rented(
            new TieredMemoryPool<Silent>(Cache<ArrayPoolOptions>()), static pool => pool.RentExact(10)),
        [typeof(StreamPool)] = static () => Rented(
            new StreamPool(Cache<StreamPoolOptions>()), static pool => pool.Rent("tag")),
        [typeof(ResourcePool<>)] = static () => Rented(
            new ResourcePool<Silent>(Policy(), One()), static pool => pool.Rent()),
        [typeof(KeyedResourcePool<,>)] = static () => Rented(
            new KeyedResourcePool<Silent, Silent>(static _ => Policy(), OnePerKey()),
            static pool => pool.Rent(new Silent())),
        [typeof(SharedResourcePool<>)] = static () => Rented(
            new SharedResourcePool<Silent>(Policy(), new SharedResourcePoolOptions { Pool = One() }),
            static pool => pool.Rent()),
        [typeof(NestedResourcePool<,>)] = static () => Rented(
            new NestedResourcePool<Silent, Silent>(
                Policy(), ChildPolicy(), new NestedResourcePoolOptions { ParentPool = One(), ChildPool = One() }),
            static pool => pool.Rent()),
        [typeof(KeyedNestedResourcePool<,,>)] = static () => Rented(
            new KeyedNestedResourcePool<Silent, Silent, Silent>(
                Policy(),
                static _ => ChildPolicy(),
                new KeyedNestedResourcePoolOptions<Silent> { ParentPool = One(), ChildPool = OnePerKey() }),
            static pool => pool.Rent(new Silent())),
        [typeof(WorkerPool<>)] = static () => Rented(
            WorkerPool.Create(static () => new Silent(), new WorkerPoolOptions { MaxWorkers = 1, Name = Name }),
            static pool => pool.Run(static state => state.GetType())),
        [typeof(DbConnectionPool<>)] = static () => Rented(
            DbConnectionPool.Create(static () => new StubConnection(), Database()), static pool => pool.Rent()),
        [typeof(PooledDataSource)] = static () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=secret", Database()),
        [typeof(LdapConnectionPool)] = static () => new LdapConnectionPool(
            new LdapPoolOptions { Servers = { "secret" }, Pool = One(), AuthType = AuthType.Anonymous }),
        [typeof(Bulkhead)] = static () => new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 1, MaxTotal = 1, Name = Name }),
    };

    public static TheoryData<Type> Kinds => [.. Pools.Keys];

    private static IEnumerable<Type> Types => PublicSurface.Packages
        .SelectMany(row => Assembly.Load(row.Data).GetExportedTypes());

    [Fact]
    public void Every_public_pool_is_covered() => Assert.Equal(
        Types.Where(static type => type.IsClass && typeof(IPool).IsAssignableFrom(type))
            .Select(static type => type.Name).Order(StringComparer.Ordinal),
        Pools.Keys.Select(static type => type.Name).Order(StringComparer.Ordinal));

    [Fact]
    public void Every_pool_lease_and_stream_has_a_display_a_view_and_a_text_of_its_own()
    {
        Type[] others = [typeof(Lease<>), typeof(BufferLease<>), typeof(PooledStream)];
        Assert.All(Pools.Keys.Concat(others), static type =>
        {
            Assert.Equal("{ToString(),nq}", type.GetCustomAttribute<DebuggerDisplayAttribute>(inherit: false)?.Value);
            Assert.NotNull(type.GetCustomAttribute<DebuggerTypeProxyAttribute>(inherit: false));
            Assert.Equal(type, type.GetMethod(nameof(ToString), [])!.DeclaringType);
        });
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_pool_is_shown_by_its_name_before_and_after_its_disposal(Type kind)
    {
        var pool = Pools[kind]();

        AssertShown(pool);
        ((IDisposable)pool).Dispose();
        AssertShown(pool);
    }

    private static void AssertShown(IPool pool)
    {
        var text = pool.ToString()!;
        Assert.StartsWith($"Pool '{Name}'", text, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', text);
        Assert.DoesNotContain("secret", text, StringComparison.Ordinal);

        // As a debugger does it.
        var proxy = pool.GetType().GetCustomAttribute<DebuggerTypeProxyAttribute>(inherit: false)!.ProxyTypeName;
        var type = Type.GetType(proxy, throwOnError: true)!;
        var view = Activator.CreateInstance(type, pool)!;
        var shown = type.GetProperties().Select(property => property.GetValue(view)).ToList();
        Assert.Contains(Name, shown);
        Assert.Contains(shown, static value => value is PoolStatistics);
        Assert.Contains(shown, static value => value is LeaseSnapshot[]);
    }

    private static TPool Rented<TPool, TLease>(TPool pool, Func<TPool, TLease> rent)
        where TPool : IPool
    {
        _ = rent(pool);
        return pool;
    }

    private static ResourcePolicy<Silent> Policy() => ResourcePolicy.Create(static _ => ValueTask.FromResult(new Silent()));

    private static NestedPolicy<Silent, Silent> ChildPolicy() =>
        NestedPolicy.Create(static (Silent _, CancellationToken _) => ValueTask.FromResult(new Silent()));

    private static ResourcePoolOptions One() => new() { MaxSize = 1, Name = Name, TrackLeases = true };

    private static KeyedResourcePoolOptions<Silent> OnePerKey() => new() { MaxSize = 1, Pool = One() };

    private static DbPoolOptions Database() => new() { Pool = One(), Reset = SessionReset.None };

    private static TOptions Cache<TOptions>()
        where TOptions : CacheOptions, new() => new() { Name = Name, Paranoid = ParanoidMode.Throw };

    /// <summary>An item, or a key, whose text must never be read.</summary>
    private sealed class Silent
    {
        public override string ToString() => throw new InvalidOperationException("ToString of an item or a key was called.");
    }

    private readonly struct SilentPolicy : IPooledObjectPolicy<Silent>
    {
        public Silent Create() => new();

        public bool Return(Silent obj) => true;
    }
}
