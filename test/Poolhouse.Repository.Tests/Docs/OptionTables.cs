using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using Poolhouse.Http;
using Poolhouse.Ldap;
using Poolhouse.Servers;
using Poolhouse.Workers;

namespace Poolhouse.Repository.Tests.Docs;

public sealed class OptionTables
{
    public static TheoryData<string, object, string[]> Tables => new()
    {
        { "objects.md", new ObjectPoolOptions(), [""] },
        { "arrays.md", new ArrayPoolOptions(), [""] },
        { "streams.md", new StreamPoolOptions(), [""] },
        { "resources.md", new ResourcePoolOptions { MaxSize = 1 }, [", essential", ", frequent", ", rare"] },
        { "resources.md", new OverloadOptions(), [""] },
        {
            "resources.md",
            new KeyedResourcePoolOptions<string> { MaxSize = 1, Pool = new ResourcePoolOptions { MaxSize = 1 } },
            [""]
        },
        { "resources.md", new ServerSetOptions(), [""] },
        { "http.md", new BulkheadOptions { MaxPerEndpoint = 1 }, [""] },
        { "http.md", new ShardedHandlerOptions { Shards = 1 }, [""] },
        { "http.md", new HttpWarmUpOptions(), [""] },
        { "workers.md", new WorkerPoolOptions { MaxWorkers = 1 }, [""] },
        { "workers.md", new WorkOptions(), [""] },
        { "ldap.md", new LdapPoolOptions(), [""] },
        { "shared.md", new SharedResourcePoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 } }, [""] },
        {
            "nested.md",
            new NestedResourcePoolOptions
            {
                ParentPool = new ResourcePoolOptions { MaxSize = 1 },
                ChildPool = new ResourcePoolOptions { MaxSize = 1 },
            },
            [""]
        },
        {
            "nested.md",
            new KeyedNestedResourcePoolOptions<string>
            {
                ParentPool = new ResourcePoolOptions { MaxSize = 1 },
                ChildPool = new KeyedResourcePoolOptions<string> { MaxSize = 1, Pool = new ResourcePoolOptions { MaxSize = 1 } },
            },
            [""]
        },
    };

    [Theory]
    [MemberData(nameof(Tables), DisableDiscoveryEnumeration = true)]
    public void The_tables_name_every_option_with_its_real_default(string page, object options, string[] parts)
    {
        var guide = MarkdownFile.Read("docs", "guides", page);
        var documented = parts.SelectMany(part => guide.Table($"options: {options.GetType().Name.Split('`')[0]}{part}"));
        var real = options.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(property => property.CanWrite)
            .Select(property => $"`{property.Name}` = {(IsRequired(property) ? "required" : Show(property.GetValue(options)))}");

        Assert.Equal(
            real.Order(StringComparer.Ordinal), documented.Select(row => $"{row[0]} = {row[1]}").Order(StringComparer.Ordinal));
    }

    private static bool IsRequired(PropertyInfo property) => property.IsDefined(typeof(RequiredMemberAttribute));

    // One spelling for each kind of value; a new kind of option has to choose its own here.
    private static string Show(object? value) => value switch
    {
        null => "`null`",
        int.MaxValue => "`int.MaxValue`",
        int number => number.ToString("N0", CultureInfo.InvariantCulture),
        long bytes => $"{bytes.ToString("N0", CultureInfo.InvariantCulture)} ({ShowSize(bytes)})",
        double share => share.ToString(CultureInfo.InvariantCulture),
        bool choice => choice ? "`true`" : "`false`",
        TimeSpan time when time == Timeout.InfiniteTimeSpan => "`Timeout.InfiniteTimeSpan`",
        TimeSpan time when time >= TimeSpan.FromMinutes(1) => Show(time.TotalMinutes, "minute"),
        TimeSpan time when time >= TimeSpan.FromSeconds(1) => Show(time.TotalSeconds, "second"),
        TimeSpan time => Show(time.TotalMilliseconds, "millisecond"),
        IReadOnlyList<string> { Count: 0 } => "none",
        string text => $"`{text}`",
        IList<WorkLane> { Count: 0 } => "none",
        Version version => version.ToString(),
        HttpMethod method => $"`{method}`",
        Enum choice => $"`{choice}`",
        ResourcePoolOptions => "see below",
        ServerSetOptions => "see above",
        TimeProvider clock when clock == TimeProvider.System => "`TimeProvider.System`",
        MemoryPressureSource source when source == MemoryPressureSource.GarbageCollector =>
            "`MemoryPressureSource.GarbageCollector`",
        _ => throw new InvalidOperationException($"How do the docs write a {value.GetType()}?"),
    };

    private static string ShowSize(long bytes) => bytes >= 1L << 40 ? $"{bytes >> 40} TiB" : $"{bytes >> 20} MiB";

    private static string Show(double count, string unit) =>
        $"{count.ToString(CultureInfo.InvariantCulture)} {unit}{(count > 1 ? "s" : "")}";
}
