using Microsoft.AspNetCore.Builder;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Poolhouse.Extensions;
using Poolhouse.Testing;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes the hosting package throw each of its messages, once.</summary>
internal static class HostingMessages
{
    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["hosting: one name twice"] = () => Services(services => Add(Add(services, "main"), "main")),
        ["hosting: client without a name"] = () => Services(services => services.AddHttpClient("a:b").AddPoolhouseBulkhead()),
        ["hosting: name with a colon"] = () => Services(services => Add(services, "a:b")),
        ["hosting: keyed warm-up"] = () => Services(services => services.AddKeyedPool<int, object>((_, _) => Policy()).WarmUp(1)),
        ["hosting: drained cache"] = () => Services(services => services.AddObjectPool<object>().DrainOnShutdown()),
        ["hosting: observed cache"] =
            () => Services(services => services.AddObjectPool<object>().AddObserver(_ => (ResourcePoolObserver)null!)),
        ["hosting: no observer"] =
            () => Services(services => services.AddResourcePool(_ => Policy(), "main").AddObserver<object>()),
        ["hosting: shards twice"] = () => Services(services => services.AddHttpClient("main")
            .UsePoolhouseShards(options => options.Shards = 1).UsePoolhouseShards(options => options.Shards = 1)),
        ["hosting: no pool to show"] = () => WebApplication.CreateSlimBuilder().Build().MapPoolhouse(),
        ["hosting: unknown warm-up"] = () => Services(services => services.AddObjectPool<object>().WarmUp(1, (WarmUpMode)7)),
        ["hosting: no timeout"] = () => Services(services => services.AddObjectPool<object>().WarmUp(1, timeout: TimeSpan.Zero)),
        ["hosting: unknown saturation"] = () => Services(services => services.AddObjectPool<object>()
            .AddHealthCheck(configure: check => check.SaturatedStatus = (HealthStatus)7)),
        ["hosting: disposable scoped item"] = () => Services(services => services.AddPooledScoped<MemoryStream>()),
        ["hosting: invalid settings"] = () => Start(services => services.AddResourcePool(_ => Policy(), "main")),
        ["hosting: two invalid pools"] = () => Start(services => Add(Add(services, "one", 0), "two", 0)),
        ["hosting: unknown key"] = () => Start(services => Bind(services, "Poolhouse:main:Typo", "many")),
        ["hosting: unreadable value"] = () => Start(services => Bind(services, "Poolhouse:main:MaxSize", "many")),
        ["hosting: section in place of a value"] = () => Start(services => Bind(services, "Poolhouse:main:MaxSize:orders", "8")),
        ["hosting: section in a list"] = () => Start(services => services.AddLdapPool("main")
            .Bind(Section("Poolhouse:main:Servers:0:Name", "ldap1"))),
        ["hosting: list in two forms"] = () => Start(services => services.AddLdapPool("main")
            .Bind(Section("Poolhouse:main:Servers", "ldap1", "Poolhouse:main:Servers:0", "ldap2"))),
        ["hosting: section that is also none"] = () => Start(services => services.AddResourcePool(_ => Policy(), "main")
            .Bind(Section("Poolhouse:main:Overload", "none", "Poolhouse:main:Overload:Target", "00:00:01"))),
        ["hosting: no connection string"] =
            () => Services(services => services.AddPooledDataSource(SqliteFactory.Instance, (string)null!)),
        ["hosting: value in place of a section"] = () => Start(services => Bind(services, "Poolhouse:main", "8")),
        ["hosting: empty section"] = () => Start(services => Bind(services, "Poolhouse:main:Overload", "")),
        ["hosting: warm-up too large"] =
            () => Start(services => services.AddObjectPool<object>().WarmUp(5000, WarmUpMode.OrFailStart)),
        ["hosting: invalid shards"] = () => Start(services => services.AddHttpClient("main")
            .UsePoolhouseShards(options => options.Shards = 0)),
        ["hosting: no connection string from the container"] = () => Start(services => services
            .AddPooledDataSource(SqliteFactory.Instance, _ => null!, "main")),
        ["hosting: warm-up too late"] = () => Start(services => services
            .AddResourcePool<object>(
                async (_, token) =>
                {
                    await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, token);
                    return new object();
                },
                "main",
                options => options.MaxSize = 1)
            .WarmUp(1, WarmUpMode.OrFailStart, TimeSpan.FromMilliseconds(1))),
    };

    private static ScriptedPolicy<object> Policy() => new(() => new object());

    private static IServiceCollection Add(IServiceCollection services, string name, int size = 1) =>
        services.AddResourcePool(_ => Policy(), name, options => options.MaxSize = size).Services;

    private static IServiceCollection Bind(IServiceCollection services, string path, string value) =>
        services.AddResourcePool(_ => Policy(), "main", options => options.MaxSize = 1).Bind(Section(path, value)).Services;

    private static IConfigurationSection Section(string path, string value) =>
        new ConfigurationBuilder().AddInMemoryCollection([new(path, value)]).Build().GetSection("Poolhouse:main");

    private static IConfigurationSection Section(string path, string value, string otherPath, string otherValue) =>
        new ConfigurationBuilder().AddInMemoryCollection([new(path, value), new(otherPath, otherValue)]).Build()
            .GetSection("Poolhouse:main");

    private static void Services(Action<IServiceCollection> configure) => configure(new ServiceCollection());

    private static void Start(Action<IServiceCollection> configure)
    {
        var builder = Host.CreateEmptyApplicationBuilder(settings: null);
        configure(builder.Services);
        using var host = builder.Build();
        host.StartAsync().GetAwaiter().GetResult();
    }
}
